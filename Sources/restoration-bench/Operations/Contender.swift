/// Who does what is measured: this package, what a user would pick instead, or something that nobody can be faster than.
enum Contender: String {
  /// This package: a writer, like the encoders of the others, is kept from one archive to the next.
  case archive
  /// This package, with a new writer each time.
  case newWriter = "new-writer"
  /// This package, each time after a rest: threads have to be woken, and caches hold something else.
  case rested
  /// This package on the small workload, in the rounds of a larger one: what a byte of that is held against.
  case onSmall = "on-small"
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
