#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat
import Locking

/// An archive of which everything is encoded, and that is put together when somebody asks for its bytes, on whatever thread.
///
///     let archive = try writer.handOver()     // on the thread that the objects belong to
///     try archive.data()                      // on another
///
/// It does not depend on the objects any more: whatever becomes of them, the bytes are those of the moment in which they were encoded.
public final class EncodedArchive: Sendable {
  fileprivate struct Parts {
    let lent: LentAssembler
    let surroundings: ArchiveSurroundings
    let keepsNodes: Bool
    let returned: AssemblerReturn
  }

  private enum State {
    case encoded(Parts)
    case together(Result<Data, ArchiveError>)
  }

  private let state: Lock<State>
  /// Whether the bytes are those of a writer, rather than whatever somebody gave.
  private let isOfWriter: Bool

  /// Takes over an assembler, to which nobody else refers, until it is returned.
  init(_ lent: LentAssembler, _ surroundings: ArchiveSurroundings, keepsNodes: Bool, returned: AssemblerReturn) {
    state = Lock(.encoded(Parts(lent: lent, surroundings: surroundings, keepsNodes: keepsNodes, returned: returned)))
    isOfWriter = true
  }

  /// Takes over what came of putting an archive together.
  init(_ result: Result<Data, ArchiveError>) {
    state = Lock(.together(result))
    isOfWriter = true
  }

  /// Takes over an archive that is put together already.
  public init(_ data: Data) {
    state = Lock(.together(.success(data)))
    isOfWriter = false
  }

  deinit {
    // Nobody wanted it.
    state.withLock { state in
      guard case .encoded(let parts) = state else { return }
      if !parts.keepsNodes { parts.lent.assembler.releaseNodes() }
      // It is as it is: getting it ready would take the time of whoever let go of this, often the app's.
      parts.returned.put(parts.lent, isReady: false)
    }
  }

  /// Whether somebody has asked for the bytes, or they were there from the start.
  var isPutTogether: Bool {
    state.withLock { if case .together = $0 { true } else { false } }
  }

  /// The bytes of the archive: put together the first time, the same ones afterwards.
  ///
  /// - Throws: `file-too-large`.
  /// - Complexity: The first time O(n log f) in the nodes, where f is the largest number of siblings, and O(n) in the bytes.
  public func data() throws(ArchiveError) -> Data {
    try state.withLock { (state) throws(ArchiveError) in
      switch state {
      case .together(let result): return try result.get()
      case .encoded(let parts):
        let result = parts.putTogether()
        state = .together(result)
        return try result.get()
      }
    }
  }
}

extension EncodedArchive {
  /// What identifies the content, read from the bytes without opening them; nil for bytes that somebody gave, of which nothing is known.
  ///
  /// - Throws: As ``data()``.
  package var writtenDigest: ContentDigest? {
    get throws(ArchiveError) {
      let data = try data()
      guard isOfWriter, data.count >= ArchivePrefix.byteCount else { return nil }
      return ContentDigest(rawValue: data.span.uint64(at: ArchivePrefix.FieldOffset.contentDigest))
    }
  }
}

extension EncodedArchive.Parts {
  /// Puts the archive together and returns the assembler: ready for the next one, or without the memory of many nodes.
  fileprivate func putTogether() -> Result<Data, ArchiveError> {
    let result = Result { () throws(ArchiveError) in try lent.assembler.archive(with: surroundings) }
    if keepsNodes { lent.assembler.makeReady() } else { lent.assembler.releaseNodes() }
    returned.put(lent, isReady: keepsNodes)
    return result
  }
}
