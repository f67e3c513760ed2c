// Changing the bytes of an array where they are. Each function checks its bounds.

extension [UInt8] {
  /// Moves the bytes in `range` to begin at `start`; the two places may overlap.
  mutating func move(_ range: Range<Int>, to start: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && start >= 0 && start <= count - range.count)
    unsafe withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe (base + start).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    }
  }

  /// Replaces the bytes from `start` on.
  mutating func write(_ new: Span<UInt8>, at start: Int) {
    precondition(start >= 0 && start <= count - new.count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe new.withUnsafeBytes { new in
        guard let base = bytes.baseAddress, let source = new.baseAddress else { return }
        unsafe (base + start).copyMemory(from: source, byteCount: new.count)
      }
    }
  }

  /// Replaces four bytes by an integer in little-endian order.
  @inline(__always)
  mutating func write(_ value: UInt32, at start: Int) {
    precondition(start >= 0 && start <= count - 4)
    unsafe withUnsafeMutableBytes { unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: start, as: UInt32.self) }
  }
}
