import Foundation

#if canImport(Glibc)
  // Swift imports no header that declares these.
  @_silgen_name("malloc_trim")
  private func trimHeap(_ padding: Int) -> CInt
  @_silgen_name("mallopt")
  private func setHeapOption(_ option: CInt, _ value: CInt) -> CInt
  @_silgen_name("sched_getcpu")
  private func currentProcessor() -> CInt
  @_silgen_name("sched_setaffinity")
  private func setProcessors(_ process: CInt, _ byteCount: Int, _ processors: UnsafePointer<UInt64>) -> CInt
#endif

/// Measures the peak of resident memory during an operation (Linux only).
///
/// The kernel records the peak, and this resets it first. Free memory is returned to the system before the measurement,
/// and large blocks are returned as soon as they are freed, so that no reuse goes unnoticed. Each processor keeps about
/// 32 pages to itself before it adds them to the common count, so the operation runs on one processor. A result is the
/// difference of two counts, and can be a quarter of a megabyte off.
enum PeakMemory {
  /// Returns the growth of resident memory at the peak of `body`.
  static func growth(_ body: () -> Void) throws -> Int {
    #if canImport(Glibc)
      // M_MMAP_THRESHOLD, and M_TRIM_THRESHOLD.
      _ = setHeapOption(-3, 1 << 16)
      _ = setHeapOption(-1, 1 << 16)
      _ = trimHeap(0)
      stayOnProcessor()
    #endif
    // Once is enough: the stack stays resident, and touching it takes as long as most operations.
    _ = isStackResident
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try peak()
    body()
    return max(try peak() - before, 0)
  }

  #if canImport(Glibc)
    /// Binds this thread to its current processor.
    private static func stayOnProcessor() {
      let processor = Int(currentProcessor())
      guard processor >= 0 else { return }
      var processors = [UInt64](repeating: 0, count: processor / 64 + 1)
      processors[processor / 64] = 1 << UInt64(processor % 64)
      _ = unsafe setProcessors(0, processors.count * 8, processors)
    }
  #endif

  private static let isStackResident: Void = touchStack(depth: 1024)

  /// Makes some megabytes of stack resident, so that the measurement covers only the heap.
  @inline(never)
  private static func touchStack(depth: Int) {
    // Larger buffers may not be allocated on the stack.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { bytes in
      unsafe bytes.initialize(repeating: UInt8(truncatingIfNeeded: depth))
      if depth > 0 { unsafe touchStack(depth: depth - Int(bytes[depth % 1024]) / 256 - 1) }
    }
  }

  /// Returns the peak of resident memory in bytes.
  private static func peak() throws -> Int {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
