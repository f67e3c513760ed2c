import Locking
import RestorationArchive

/// What an application has captured of its changes since the capture before.
///
/// The objects are encoded into a small archive of their own, in which their ancestors are nodes without contents. When
/// the changes are read, on another thread, nodes that equal their earlier state are dropped: an object that does not
/// track its changes is always encoded, and another one may have been set back.
final class PreservedChanges: Sendable {
  /// A node that was encoded, and the archive with its state before; nil for a node that is new.
  struct Encoded: Sendable {
    let path: RestorationPath
    let before: PreservedArchive?
  }

  private enum State {
    case encoded([RestorationPath: ChildOrder], [Encoded], isHeaderChanged: Bool)
    case read(Result<ChangedState, ArchiveError>)
  }

  /// The place among the captures of the application.
  let place: CapturePlace
  /// The captured nodes.
  let archive: PreservedArchive
  private let state: Lock<State>

  /// Takes the captured nodes.
  init(
    _ archive: PreservedArchive, at place: CapturePlace, orders: [RestorationPath: ChildOrder], encoded: [Encoded], isHeaderChanged: Bool
  ) {
    self.archive = archive
    self.place = place
    state = Lock(.encoded(orders, encoded, isHeaderChanged: isHeaderChanged))
  }

  /// Returns the changes as values, without those that turn out to be none.
  ///
  /// Reads them on the first call.
  func changes() throws(ArchiveError) -> ChangedState {
    try state.withLock { (state) throws(ArchiveError) in
      switch state {
      case .read(let result): return try result.get()
      case .encoded(let orders, let encoded, let isHeaderChanged):
        let result = Result { () throws(ArchiveError) in try read(orders, encoded, isHeaderChanged) }
        state = .read(result)
        return try result.get()
      }
    }
  }

  private func read(
    _ orders: [RestorationPath: ChildOrder], _ encoded: [Encoded], _ isHeaderChanged: Bool
  ) throws(ArchiveError) -> ChangedState {
    let reader = try archive.opened()
    var changes = ChangedState(header: reader.header, isHeaderChanged: isHeaderChanged, orders: orders)
    for node in encoded {
      guard let contents = try reader.node(at: node.path)?.withoutChildren() else { continue }
      if let before = try node.before?.opened().node(at: node.path)?.withoutChildren(), before == contents { continue }
      if node.path.isEmpty { changes.application = contents.state } else { changes.nodes[node.path] = contents }
    }
    return changes
  }
}

extension NodeReader {
  /// Returns the node without its children.
  fileprivate func withoutChildren() throws(ArchiveError) -> ArchiveNode {
    let contents = try everything()
    return ArchiveNode(
      identifier ?? "", type: type, schemaVersion: schemaVersion, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }
}
