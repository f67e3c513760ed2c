/// Who does what is measured: this package, what a user would pick instead, or something that nobody can be faster than.
enum Contender: String {
  case archive
  case propertyList = "property-list"
  case json
  case keyedArchiver = "keyed-archiver"
  /// The same values by keyed calls, without the engine.
  case bareCoder = "bare-coder"
  /// Visiting each value of the model and doing nothing with it.
  case walk
  /// Copying the finished bytes.
  case copy
  /// Writing a file, flushing it, renaming it, and flushing the directory.
  case bareWrite = "bare-write"
}
