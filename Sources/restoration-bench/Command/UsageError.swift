/// A command line that asks for nothing that there is.
struct UsageError: Error, CustomStringConvertible {
  /// What BSD calls `EX_USAGE`.
  static let exitCode: Int32 = 64

  let description: String

  init(_ description: String) {
    self.description = description
  }
}
