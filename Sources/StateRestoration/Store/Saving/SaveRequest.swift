#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// A save that waits for its turn.
struct SaveRequest: Sendable {
  /// The archive to write; nil if there is none, because what was saved is to go.
  var archive: EncodedArchive?
  /// Whether all that was saved before is to go; it is removed when the archive is on the disk.
  var isForgetting = false
  /// The nodes of which state that was saved before is not in the archive although nobody wanted it gone.
  var losses: Set<RestorationPath> = []
  /// What time it is.
  var time: Date?

  /// What is left to do if this one is done without the one before: its archive need not be written, but what the app wanted gone goes, and
  /// what it lost keeps the file that still has it.
  func following(_ earlier: SaveRequest?) -> SaveRequest {
    guard let earlier, !isForgetting else { return self }
    var request = self
    request.isForgetting = earlier.isForgetting
    request.losses.formUnion(earlier.losses)
    return request
  }
}
