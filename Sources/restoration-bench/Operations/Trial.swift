/// Something to be timed.
struct Trial {
  /// Who does it.
  var contender: Contender
  /// How many bytes it goes through, if that says something.
  var byteCount: Int?
  /// What it is timed by.
  var clock = TrialClock.processor
  /// What is done before each time, and not timed; nil for nothing.
  var prepare: (() throws -> Void)?
  /// Does it once.
  let run: () throws -> Void

  /// The same under another name.
  func renamed(_ contender: Contender) -> Trial {
    var trial = self
    trial.contender = contender
    return trial
  }
}
