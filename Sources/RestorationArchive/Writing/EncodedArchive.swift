#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat
import Locking

/// A fully encoded archive that is assembled on first access to its bytes, on any thread.
///
///     let archive = try writer.handOver()     // on the thread that the objects belong to
///     try archive.data()                      // on another
///
/// The archive no longer depends on the objects: it holds their state as it was when they were encoded.
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
  /// Whether the bytes come from a writer rather than from a caller.
  private let isOfWriter: Bool

  /// Takes an assembler with no other references, until it is returned to the pool.
  init(_ lent: LentAssembler, _ surroundings: ArchiveSurroundings, keepsNodes: Bool, returned: AssemblerReturn) {
    state = Lock(.encoded(Parts(lent: lent, surroundings: surroundings, keepsNodes: keepsNodes, returned: returned)))
    isOfWriter = true
  }

  /// Wraps the result of assembling an archive.
  init(_ result: Result<Data, ArchiveError>) {
    state = Lock(.together(result))
    isOfWriter = true
  }

  /// Wraps an archive that is already assembled.
  public init(_ data: Data) {
    state = Lock(.together(.success(data)))
    isOfWriter = false
  }

  deinit {
    // Released without an access to the bytes.
    state.withLock { state in
      guard case .encoded(let parts) = state else { return }
      if !parts.keepsNodes { parts.lent.assembler.releaseNodes() }
      // Returned without preparation: `deinit` may run on the app's thread, and preparing would block it.
      parts.returned.put(parts.lent, isReady: false)
    }
  }

  /// Whether the archive has been assembled.
  var isAssembled: Bool {
    state.withLock { if case .together = $0 { true } else { false } }
  }

  /// Returns the bytes of the archive, which are assembled on the first call.
  ///
  /// - Throws: `file-too-large`.
  /// - Complexity: On the first call O(n log f) in the number of nodes, where f is the largest number of siblings, and
  ///   O(n) in the bytes.
  public func data() throws(ArchiveError) -> Data {
    try state.withLock { (state) throws(ArchiveError) in
      switch state {
      case .together(let result): return try result.get()
      case .encoded(let parts):
        let result = parts.assemble()
        state = .together(result)
        return try result.get()
      }
    }
  }
}

extension EncodedArchive {
  /// The content digest, read from the bytes without opening them; nil for bytes supplied by a caller, which have not
  /// been verified.
  ///
  /// - Throws: The errors of ``data()``.
  package var writtenDigest: ContentDigest? {
    get throws(ArchiveError) {
      let data = try data()
      guard isOfWriter, data.count >= ArchivePrefix.byteCount else { return nil }
      return ContentDigest(rawValue: data.span.uint64(at: ArchivePrefix.FieldOffset.contentDigest))
    }
  }
}

extension EncodedArchive.Parts {
  /// Assembles the archive and returns the assembler to the pool, either ready for the next archive or without the
  /// memory of its nodes.
  fileprivate func assemble() -> Result<Data, ArchiveError> {
    let result = Result { () throws(ArchiveError) in try lent.assembler.archive(with: surroundings) }
    if keepsNodes { lent.assembler.makeReady() } else { lent.assembler.releaseNodes() }
    returned.put(lent, isReady: keepsNodes)
    return result
  }
}
