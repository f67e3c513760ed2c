import FoundationEssentials

#if canImport(Glibc)
  // These are in no header that Swift imports.
  @_silgen_name("malloc_trim")
  private func trimHeap(_ padding: Int) -> CInt
  @_silgen_name("mallopt")
  private func setHeapOption(_ option: CInt, _ value: CInt) -> CInt
  @_silgen_name("sched_getcpu")
  private func currentProcessor() -> CInt
  @_silgen_name("sched_setaffinity")
  private func setProcessors(_ process: CInt, _ byteCount: Int, _ processors: UnsafePointer<UInt64>) -> CInt
#endif

/// Measures the peak of resident memory while something is done (Linux only).
///
/// The kernel keeps it; this resets it first. What is free by then goes back to the system, and large blocks go back as soon as they are
/// free, so that no memory is used again unseen. Each processor keeps up to 32 pages or so to itself before it adds them to the common count, so
/// all is done on one of them: a figure, which is the difference of two counts, can be a quarter of a megabyte off.
enum PeakMemory {
  /// How much more memory was resident while `body` ran than before.
  static func growth(_ body: () -> Void) throws -> Int {
    #if canImport(Glibc)
      // M_MMAP_THRESHOLD, and M_TRIM_THRESHOLD.
      _ = setHeapOption(-3, 1 << 16)
      _ = setHeapOption(-1, 1 << 16)
      _ = trimHeap(0)
      stayOnProcessor()
    #endif
    touchStack(depth: 1024)
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try peak()
    body()
    return max(try peak() - before, 0)
  }

  #if canImport(Glibc)
    /// Has this thread run on the processor where it is now, and on no other.
    private static func stayOnProcessor() {
      let processor = Int(currentProcessor())
      guard processor >= 0 else { return }
      var processors = [UInt64](repeating: 0, count: processor / 64 + 1)
      processors[processor / 64] = 1 << UInt64(processor % 64)
      _ = unsafe setProcessors(0, processors.count * 8, processors)
    }
  #endif

  /// Makes some megabytes of stack resident, so that what is measured is the heap.
  @inline(never)
  private static func touchStack(depth: Int) {
    // What is larger than a kilobyte need not be taken from the stack.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { bytes in
      unsafe bytes.initialize(repeating: UInt8(truncatingIfNeeded: depth))
      if depth > 0 { unsafe touchStack(depth: depth - Int(bytes[depth % 1024]) / 256 - 1) }
    }
  }

  /// The peak of resident memory in bytes.
  private static func peak() throws -> Int {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
