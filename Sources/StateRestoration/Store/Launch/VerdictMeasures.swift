/// The file operations that follow from the verdict on an accepted offer.
struct VerdictMeasures: Equatable {
  /// An operation on one file.
  enum Step: Equatable {
    case remove(Generation)
    case mark(Generation, Generation.Mark)
  }

  /// The operations, in order.
  var steps: [Step] = []
  /// The numbers of the files that were saved after the offer was accepted, and that become offers.
  var followers: [UInt64] = []
}
