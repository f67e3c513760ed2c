#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat
import Synchronization

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

  private let state: Mutex<State>

  /// Takes over an assembler, which nobody else may use until it is returned.
  init(_ assembler: ArchiveAssembler, _ surroundings: ArchiveSurroundings, keepsNodes: Bool, returned: AssemblerReturn) {
    state = Mutex(
      .encoded(
        Parts(lent: LentAssembler(assembler: assembler), surroundings: surroundings, keepsNodes: keepsNodes, returned: returned)))
  }

  /// Takes over an archive that is put together already.
  public init(_ data: Data) {
    state = Mutex(.together(.success(data)))
  }

  deinit {
    // Nobody wanted it.
    state.withLock { state in
      if case .encoded(let parts) = state { parts.returned.put(parts.lent) }
    }
  }

  /// The bytes of the archive: put together the first time, the same ones afterwards.
  ///
  /// - Throws: `duplicate-identifier`, naming the path; `section-order` for a section twice; `file-too-large`.
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

extension EncodedArchive.Parts {
  /// Puts the archive together and returns the assembler.
  fileprivate func putTogether() -> Result<Data, ArchiveError> {
    let assembler = lent.assembler
    let result = Result { () throws(ArchiveError) in try assembler.archive(with: surroundings) }
    if !keepsNodes { assembler.releaseNodes() }
    returned.put(lent)
    return result
  }
}
