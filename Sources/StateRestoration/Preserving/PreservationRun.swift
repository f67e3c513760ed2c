import RestorationArchive
import Storage

/// A single preservation of the live objects: determines all paths, encodes each object, and adds carried-over state.
///
/// Coders find the run through their user information, to convert objects to paths.
final class PreservationRun: CapturingRun {
  let application: RestorableApplication
  let options: PreservationOptions
  let header: ArchiveHeader
  private(set) lazy var userInfo: [CodingUserInfoKey: Any] = [.preservationRun: WeakRun(self)]
  private(set) lazy var writer = makeWriter()
  /// The session of the restored archive, if any; it does not change while state is preserved.
  let session: RestorationSession?
  let state = UncheckedBox(State())
  var notes: [PreservationReport.Note] = []
  /// The nodes to carry over, once collected.
  var candidates: Candidates?
  /// The quarantined paths, as given, whose objects the user has changed.
  var quarantineChanges: Set<RestorationPath> = []
  /// The number of the object that is being encoded; -1 for none.
  var encodedNumber = -1
  /// The references between objects, if later captures follow them.
  var references: [(from: Int, to: Int)] = []
  /// Whether a node is in the archive only because an object refers to it.
  var hasShells = false
  /// The numbers of parents whose children may have been written out of order.
  var disordered: Set<Int> = []
  /// Whether the paths of all objects are determined.
  var isWalked = false
  /// The registration count at the last collection of registered objects.
  var registrationCount = 0

  /// State that is accessed for every object.
  struct State: ~Copyable {
    /// The nodes, parents first.
    var nodes: [LiveNode] = []
    /// The node number of each object.
    var numbers = IdentityTable()
    /// The node number by parent and identifier; built on the first lookup by path.
    var places: [RestorationSession.ChildKey: Int]?
  }

  /// Returns the number of an object; nil if it has not been added.
  func number(of object: any Restorable) -> Int? { state.value.numbers[object] }

  init(_ application: RestorableApplication, header: ArchiveHeader, options: PreservationOptions) {
    self.application = application
    self.header = header
    self.options = options
    session = application.session
  }

  func report(_ kind: PreservationReport.NoteKind, _ path: RestorationPath?, _ message: String) {
    notes.append(ReportNote(kind: kind, path: path, message: message))
  }

  func path(of number: Int) -> RestorationPath {
    if number < 0 { return .application }
    var next = number
    // Filled from the end, in an array allocated once.
    let depth = state.value.nodes[number].depth
    var identifiers = [String](repeating: "", count: depth)
    for place in (0..<depth).reversed() {
      identifiers[place] = state.value.nodes[next].identifier
      next = state.value.nodes[next].parent
    }
    return RestorationPath(validated: identifiers)
  }

  /// Returns the writer of the last save, reset for this one, or a new writer.
  private func makeWriter() -> ArchiveWriter {
    // Taken for the duration of this run; returned when the archive is finished.
    if let last = application.writer.take(),
      (try? last.reset(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo)) != nil
    {
      return last
    }
    return ArchiveWriter(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo)
  }

  /// The larger of the current number of nodes and that of the previous archive, or 64 without a previous archive.
  var expectedNodeCount: Int {
    max(state.value.nodes.count, application.lastSaved?.nodeCount ?? session?.archive.nodeCount ?? 64)
  }

  /// Returns the path of an object for a reference to it; nil if it has none.
  func path(of object: any Restorable) throws -> RestorationPath? {
    try walk()
    guard let number = try number(of: object) ?? place(object) else { return nil }
    state.value.nodes[number].isNeeded = true
    noteReference(to: number)
    return path(of: number)
  }

  private func noteReference(to number: Int) {
    if options.extent == .changes, encodedNumber >= 0 { references.append((encodedNumber, number)) }
  }

  /// Returns the path of an object that may not be restorable; nil if it has none.
  func path(ofAny object: Any) -> RestorationPath? {
    if let known = state.value.numbers[object as AnyObject] {
      state.value.nodes[known].isNeeded = true
      noteReference(to: known)
      return path(of: known)
    }
    guard let object = object as? any Restorable, let path = try? path(of: object) else {
      report(.reference, nil, "a reference to a \(type(of: object)), which has no path, is stored as null")
      return nil
    }
    return path
  }
}

/// A capture of objects, as their coders see it.
protocol CapturingRun: AnyObject {
  var application: RestorableApplication { get }
  /// Returns the path of an object for a reference to it; nil if it has none.
  func path(of object: any Restorable) throws -> RestorationPath?
  /// Returns the path of an object that may not be restorable; if it has none, reports this and returns nil.
  func path(ofAny object: Any) throws -> RestorationPath?
  func report(_ kind: PreservationReport.NoteKind, _ path: RestorationPath?, _ message: String)
}

/// A weak reference to a run for coders, which may outlive it.
final class WeakRun: CoderContext {
  weak var run: (any CapturingRun)?
  init(_ run: any CapturingRun) { self.run = run }
  var changes: ChangeTracking? { run?.application.changes }
  func path(ofAny object: Any) throws -> RestorationPath? { try run?.path(ofAny: object) }
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { nil }
}

/// An object to save and its position in the tree.
struct LiveNode {
  /// The object; nil for a placeholder that only holds descendants.
  var object: (any Restorable)?
  let identifier: String
  /// The number of the parent; -1 for the top level.
  let parent: Int
  let depth: Int
  /// Whether the object is in the `restorationChildren` of its parent or among the roots, which define the sibling
  /// order.
  var isListed = true
  /// The node written to the archive, if any.
  var written: ArchiveWriter.Node?
  /// Whether an empty node must be written too, because it is the target of a reference or preserves previous state.
  var isNeeded = false
  /// Whether the node could not be written; its descendants cannot be written either.
  var isRefused = false
  /// Whether the saved state of a quarantined node is carried over in place of the object.
  var isReplaced = false
  /// Whether the node has a type; it is then written even if it is empty.
  var hasTag = false
}
