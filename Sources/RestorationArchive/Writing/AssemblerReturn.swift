import ArchiveFormat
import Synchronization

/// Where a writer finds an assembler again that it handed over, with what it has learned of keys and types.
final class AssemblerReturn: Sendable {
  private let assembler = Mutex<LentAssembler?>(nil)

  /// Puts one in; the one before, which nobody wanted, is dropped.
  func put(_ lent: LentAssembler) {
    assembler.withLock { $0 = lent }
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
