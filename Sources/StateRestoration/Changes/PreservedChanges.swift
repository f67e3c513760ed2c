import Locking
import RestorationArchive

/// What an application has captured of its changes since the capture before.
///
/// The objects are encoded into a small archive of their own, in which nodes that have not changed stand for the way to
/// those that have. What can be compared only with the state before, because no object vouches for it, is compared when
/// the changes are read, on another thread.
final class PreservedChanges: Sendable {
  /// A node that was encoded without knowing whether it has changed, and the archive with its state before.
  struct Unproven: Sendable {
    let path: RestorationPath
    let before: PreservedArchive
  }

  private enum State {
    case encoded([RestorationPath: ChildOrder], [Unproven], isHeaderChanged: Bool)
    case read(Result<ChangedState, ArchiveError>)
  }

  /// The place among the captures of the application.
  let place: CapturePlace
  /// The captured nodes.
  let archive: PreservedArchive
  private let state: Lock<State>

  /// Takes the captured nodes.
  init(
    _ archive: PreservedArchive, at place: CapturePlace, orders: [RestorationPath: ChildOrder], unproven: [Unproven], isHeaderChanged: Bool
  ) {
    self.archive = archive
    self.place = place
    state = Lock(.encoded(orders, unproven, isHeaderChanged: isHeaderChanged))
  }

  /// The attribute of a node that is only on the way to others.
  static let unchanged = "restoration.unchanged"

  /// Returns the changes as values, without those that turn out to be none.
  ///
  /// Reads them on the first call.
  func changes() throws(ArchiveError) -> ChangedState {
    try state.withLock { (state) throws(ArchiveError) in
      switch state {
      case .read(let result): return try result.get()
      case .encoded(let orders, let unproven, let isHeaderChanged):
        let result = Result { () throws(ArchiveError) in try read(orders, unproven, isHeaderChanged) }
        state = .read(result)
        return try result.get()
      }
    }
  }

  private func read(
    _ orders: [RestorationPath: ChildOrder], _ unproven: [Unproven], _ isHeaderChanged: Bool
  ) throws(ArchiveError) -> ChangedState {
    let reader = try archive.opened()
    var changes = ChangedState(header: reader.header, isHeaderChanged: isHeaderChanged, orders: orders)
    var stack = [try reader.application()]
    while let node = stack.popLast() {
      if let contents = try node.changedContents() {
        if node.path.isEmpty { changes.application = contents.state } else { changes.nodes[node.path] = contents }
      }
      stack += try node.children()
    }
    for node in unproven where try node.before.opened().node(at: node.path)?.changedContents() == changes.contents(at: node.path) {
      if node.path.isEmpty { changes.application = nil } else { changes.nodes[node.path] = nil }
    }
    return changes
  }
}

extension ChangedState {
  fileprivate func contents(at path: RestorationPath) -> ArchiveNode? {
    path.isEmpty ? application.map { ArchiveNode("", state: $0) } : nodes[path]
  }
}

extension NodeReader {
  /// Returns the node without its children; nil if it is only on the way to others.
  fileprivate func changedContents() throws(ArchiveError) -> ArchiveNode? {
    let contents = try everything()
    if contents.attributes[PreservedChanges.unchanged] != nil { return nil }
    return ArchiveNode(
      identifier ?? "", type: type, schemaVersion: schemaVersion, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }
}
