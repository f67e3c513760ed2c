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

  /// Takes over an assembler, to which nobody else refers, until it is returned.
  init(_ lent: LentAssembler, _ surroundings: ArchiveSurroundings, keepsNodes: Bool, returned: AssemblerReturn) {
    state = Mutex(.encoded(Parts(lent: lent, surroundings: surroundings, keepsNodes: keepsNodes, returned: returned)))
  }

  /// Takes over what came of putting an archive together.
  init(_ result: Result<Data, ArchiveError>) {
    state = Mutex(.together(result))
  }

  /// Takes over an archive that is put together already.
  public convenience init(_ data: Data) {
    self.init(.success(data))
  }

  deinit {
    // Nobody wanted it.
    state.withLock { state in
      if case .encoded(let parts) = state { parts.giveBack() }
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

extension EncodedArchive.Parts {
  /// Puts the archive together and returns the assembler.
  fileprivate func putTogether() -> Result<Data, ArchiveError> {
    let result = Result { () throws(ArchiveError) in try lent.assembler.archive(with: surroundings) }
    giveBack()
    return result
  }

  fileprivate func giveBack() {
    if !keepsNodes { lent.assembler.releaseNodes() }
    returned.put(lent)
  }
}
