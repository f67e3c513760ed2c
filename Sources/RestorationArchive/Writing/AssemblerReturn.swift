import ArchiveFormat
import Locking

/// Where a writer finds assemblers again that it handed over, with what they have learned of keys and types.
final class AssemblerReturn: Sendable {
  /// Where apps save faster than archives are written, one is being put together and one waits while a third is being encoded.
  private static let mostKept = 2

  private let assemblers = Lock<[LentAssembler]>([])

  /// Puts one in, or drops it.
  ///
  /// One that is not ready for another archive still has what was written to it, so it is kept only while no other waits, and is the first
  /// to be dropped when there are too many.
  func put(_ lent: LentAssembler, isReady: Bool) {
    let dropped = assemblers.withLock { assemblers -> LentAssembler? in
      guard isReady || assemblers.isEmpty else { return lent }
      assemblers.append(lent)
      return assemblers.count > Self.mostKept ? assemblers.removeFirst() : nil
    }
    // It goes when nobody has to wait for the lock.
    _ = consume dropped
  }

  /// Takes one out, if there is one.
  func take() -> ArchiveAssembler? {
    assemblers.withLock { $0.popLast() }?.assembler
  }
}

/// An assembler that goes from one thread to another: whoever holds this is the only one who refers to it.
struct LentAssembler: @unchecked Sendable {
  let assembler: ArchiveAssembler
}
