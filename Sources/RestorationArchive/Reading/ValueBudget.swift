import ArchiveFormat

/// How many more values may be made (rule R-10-1).
///
/// Empty ones cost as much as others.
struct ValueBudget {
  private var left: Int
  private let limit: Int

  init(_ limits: ReaderLimits) {
    left = limits.values
    limit = limits.values
  }

  /// Spends one value.
  @inline(__always)
  mutating func spend() throws(FormatError) {
    left &-= 1
    if left < 0 { throw FormatError(.valueBudget, at: nil, "values", expected: .text("at most \(limit) at once")) }
  }
}
