import ArchiveFormat
import Synchronization

/// Where a writer finds an assembler again that it handed over, with what it has learned of keys and types.
final class AssemblerReturn: Sendable {
  private let assembler = Mutex<LentAssembler?>(nil)

  /// Puts one in.
  ///
  /// If there is one already, for which nobody came, one of them is dropped: the one that is not ready for another archive.
  func put(_ lent: LentAssembler, isReady: Bool) {
    var lent: LentAssembler? = lent
    assembler.withLock { if isReady || $0 == nil { swap(&$0, &lent) } }
    // What is dropped goes here, when nobody has to wait for the lock.
  }

  /// Takes it out, if there is one.
  func take() -> ArchiveAssembler? {
    assembler.withLock { $0.take() }?.assembler
  }
}

/// An assembler that goes from one thread to another: whoever holds this is the only one who refers to it.
struct LentAssembler: @unchecked Sendable {
  let assembler: ArchiveAssembler
}
