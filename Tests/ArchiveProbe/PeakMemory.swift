import FoundationEssentials

#if canImport(Glibc)
  // These are in no header that Swift imports.
  @_silgen_name("malloc_trim")
  private func trimHeap(_ padding: Int) -> CInt
  @_silgen_name("mallopt")
  private func setHeapOption(_ option: CInt, _ value: CInt) -> CInt
#endif

/// Measures the peak of resident memory while something is done (Linux only).
///
/// The kernel keeps it; this resets it first. What is free by then goes back to the system, and large blocks go back as soon as they are
/// free, so that no memory is used again unseen. Each processor keeps some pages to itself before it adds them to a common count, and pages of
/// files and others have counts of their own: a figure is the difference of two that can each be a quarter of a megabyte off.
enum PeakMemory {
  /// How much more memory was resident while `body` ran than before.
  static func growth(_ body: () -> Void) throws -> Int {
    #if canImport(Glibc)
      // M_MMAP_THRESHOLD, and M_TRIM_THRESHOLD.
      _ = setHeapOption(-3, 1 << 16)
      _ = setHeapOption(-1, 1 << 16)
      _ = trimHeap(0)
    #endif
    touchStack(depth: 256)
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try peak()
    body()
    return max(try peak() - before, 0)
  }

  /// Makes some megabytes of stack resident, so that what is measured is the heap.
  @inline(never)
  private static func touchStack(depth: Int) {
    let page = InlineArray<4096, UInt8>(repeating: UInt8(truncatingIfNeeded: depth))
    if depth > 0 { touchStack(depth: depth - Int(page[depth]) / 256 - 1) }
  }

  /// The peak of resident memory in bytes.
  private static func peak() throws -> Int {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
