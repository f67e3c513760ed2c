/// What is to be done with the files of an archive because of how an accepted offer has fared.
struct VerdictMeasures: Equatable {
  /// What is done with one file.
  enum Step: Equatable {
    case remove(Generation)
    case mark(Generation, Generation.Mark)
  }

  /// What to do, in this order.
  var steps: [Step] = []
  /// The numbers of files that were saved after the offer was accepted, and are offers now.
  var followers: [UInt64] = []
}
