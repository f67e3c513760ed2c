import ArchiveFormat
import Locking

/// A pool of assemblers that a writer has handed over; they keep what they know about keys and types.
final class AssemblerReturn: Sendable {
  /// In an app that saves faster than archives are written, one assembler is being assembled and one is waiting while a
  /// third is being encoded.
  private static let maximumKept = 2

  private let assemblers = Lock<[LentAssembler]>([])

  /// Adds an assembler to the pool, or discards it.
  ///
  /// An assembler that is not ready still holds the content written to it. It is therefore kept only if the pool is
  /// empty, and is the first to be discarded when the pool is full.
  func put(_ lent: LentAssembler, isReady: Bool) {
    let dropped = assemblers.withLock { assemblers -> LentAssembler? in
      guard isReady || assemblers.isEmpty else { return lent }
      assemblers.append(lent)
      return assemblers.count > Self.maximumKept ? assemblers.removeFirst() : nil
    }
    // Deallocated outside the lock.
    _ = consume dropped
  }

  /// Removes and returns an assembler, if there is one.
  func take() -> ArchiveAssembler? {
    assemblers.withLock { $0.popLast() }?.assembler
  }
}

/// An assembler in transit between threads: its holder has the only reference to it.
struct LentAssembler: @unchecked Sendable {
  let assembler: ArchiveAssembler
}
