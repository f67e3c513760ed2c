#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A date in an archive is a float64: the seconds since 2001 (Spec §6.1).
extension Date {
  /// The bits of the float64.
  @inlinable @inline(__always)
  package var float64Bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }

  /// Creates the date of a float64 with these bits.
  @inlinable @inline(__always)
  package init(float64Bits bits: UInt64) {
    self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }
}
