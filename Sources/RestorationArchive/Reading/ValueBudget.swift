import ArchiveFormat

/// The number of values that may still be created (rule R-10-1).
///
/// Empty values count like any other.
struct ValueBudget {
  private var left: Int
  private let limits: ReaderLimits

  init(_ limits: ReaderLimits) {
    left = limits.values
    self.limits = limits
  }

  /// Throws if a container at this depth exceeds the nesting limit (rules R-6.1-9, R-10-1), which also bounds
  /// recursion.
  @inline(__always)
  func checkDepth(_ depth: Int, at offset: Int) throws(FormatError) {
    if depth >= limits.nesting { throw Self.depthError(depth, at: offset, limits) }
  }

  @inline(never)
  private static func depthError(_ depth: Int, at offset: Int, _ limits: ReaderLimits) -> FormatError {
    let code = depth >= FormatLimits.nesting ? FormatErrorCode.nestingDepth : .readerLimit
    return FormatError(code, at: offset, "nesting", expected: .text("at most \(limits.nesting) levels"))
  }

  /// Counts one value against the budget.
  @inline(__always)
  mutating func spend() throws(FormatError) {
    left &-= 1
    if left < 0 { throw FormatError(.valueBudget, at: nil, "values", expected: .text("at most \(limits.values) at once")) }
  }
}
