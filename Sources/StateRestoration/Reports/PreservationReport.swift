public import RestorationArchive

/// The report on preserving the objects.
///
/// Notes list only exceptions; ``entries()`` lists all nodes of the archive, with sizes. Reading a size assembles
/// the archive, if that has not been done yet.
public struct PreservationReport: Sendable {
  /// An exceptional event during preserving.
  public typealias Note = ReportNote<NoteKind>

  /// The kind of a note.
  public enum NoteKind: String, Sendable, CaseIterable {
    /// State was not saved now.
    case notSaved = "not-saved"
    /// An object could not encode its state; its previous state is kept.
    case keptPrevious = "kept-previous"
    /// An object could not encode its state, and has no previous state.
    case failed
    /// Unclaimed state is carried over.
    case carriedOver = "carried-over"
    /// Unclaimed state is dropped because of its age or size.
    case expired
    /// Unclaimed state is dropped for good: the object at its path or above has been closed, or the app has discarded
    /// the state.
    case discarded
    /// Unclaimed state is superseded by an object at its path, or its object has moved away without it; the file before is
    /// kept.
    case superseded
    /// The user has changed the object of a quarantined node: the object's state is saved, and the previous state is
    /// offered.
    case quarantineEnded = "quarantine-ended"
    /// Two objects have the same path.
    case duplicate
    /// The same object appears at two places in the tree, or in two scenes.
    case twice
    /// An object has no identifier, and is not saved.
    case withoutIdentifier = "without-identifier"
    /// An object's identifier is empty or has more than 1,024 bytes, so that the object is not saved.
    case unusableIdentifier = "unusable-identifier"
    /// An object has children in a ``RestoredChildren`` property, and returns none, so that they are not saved.
    case withoutChildren = "without-children"
    /// The class of an object has an encoding of its own, which leaves out properties marked with ``Restored``.
    case withoutProperties = "without-properties"
    /// An object has encoded a key again: only the last value is saved. Noted for the first objects of each class.
    case repeatedKey = "repeated-key"
    /// Objects are too deep.
    case tooDeep = "too-deep"
    /// A reference is to an object without a path.
    case reference
    /// Keys that an object does not know are preserved.
    case unknownKeys = "kept-keys"
    /// Something could not be saved in the archive.
    case lost

    /// Whether only the file before has the state.
    var isLoss: Bool { self == .superseded || self == .lost || self == .expired }

    /// Whether what was saved follows from the objects all the same, so that the next capture can be of changes.
    var isRegular: Bool { [.withoutChildren, .withoutProperties, .repeatedKey, .unknownKeys].contains(self) }
  }

  /// A node of the new archive.
  public struct Entry: Sendable, Hashable {
    /// The path of the node.
    public let path: RestorationPath
    /// The number of state bytes.
    public let byteCount: Int
    /// Whether the node is carried over because its state is unclaimed.
    public let isCarriedOver: Bool
  }

  /// The exceptions, in the order of their occurrence.
  public let notes: [Note]
  /// The number of nodes in the archive; for a capture of changes, the number of nodes that are saved by now.
  public let nodeCount: Int
  let archive: EncodedArchive?
  /// The limits on the size of the archive.
  var budget: SizeBudget?
  /// The quarantined paths, as given, whose objects the user has changed.
  var quarantineChanges: Set<RestorationPath> = []

  /// The number of bytes in the archive; 0 without one.
  ///
  /// Assembles the archive.
  public var byteCount: Int { (try? archive?.data().count) ?? 0 }

  /// The exceeded limits of the budget in the options, one line each; empty without a budget.
  ///
  /// Assembles the archive and reads the sizes of all nodes.
  public var excesses: [String] { budget?.excesses(of: self) ?? [] }

  /// Returns all nodes of the archive, parents first, with their sizes.
  ///
  /// - Complexity: O(n log n).
  public func entries() -> [Entry] {
    guard let archive = try? archive?.opened() else { return [] }
    let tree = SavedTree(archive, moves: [])
    return tree.order.dropFirst().compactMap { index in
      tree.node(of: index).map { Entry(path: $0.path, byteCount: $0.stateByteCount, isCarriedOver: $0.origin != nil) }
    }
  }

  /// Whether previous state was lost unintentionally, so that the old archive should be kept.
  public var isDegraded: Bool {
    notes.contains { $0.kind.isLoss }
  }

  /// The paths of the lost nodes.
  var losses: Set<RestorationPath> {
    Set(notes.lazy.filter(\.kind.isLoss).compactMap(\.path))
  }

  /// Returns the notes for a path.
  public func notes(at path: RestorationPath) -> [Note] {
    notes.filter { $0.path == path }
  }
}

extension PreservationReport: CustomStringConvertible {
  /// The amount of saved state, then one line for each note and each exceeded limit.
  public var description: String {
    let nodes = nodeCount == 1 ? "1 node" : "\(nodeCount) nodes"
    let nothing = nodeCount == 0 ? "saved nothing" : "saved what has changed; now saved: \(nodes)"
    let first = archive == nil ? nothing : "saved \(nodes) in \(byteCount) bytes"
    return ([first] + notes.map { "\($0) [\($0.kind.rawValue)]" } + excesses.map { "over budget: \($0)" }).joined(separator: "\n")
  }
}

extension PreservationReport: Encodable {
  /// Encodes the report with all nodes, using the keys of its JSON form.
  public func encode(to encoder: any Encoder) throws {
    let excesses = excesses
    try encoder.encode([
      "nodeCount": nodeCount, "byteCount": byteCount, "excesses": excesses.isEmpty ? nil : excesses, "notes": notes, "nodes": entries(),
    ])
  }

  /// Returns the report as JSON with sorted keys, for logs and programs.
  public func json() -> String { ReportJSON.text(of: self) }
}

extension PreservationReport.Entry: Encodable {
  /// Encodes the entry, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["path": path.description, "byteCount": byteCount, "isCarriedOver": isCarriedOver ? true : nil])
  }
}

/// An event in a report, with the path that it is about.
public struct ReportNote<Kind: RawRepresentable<String> & Sendable & Hashable>: Sendable, Hashable {
  /// The kind of the note.
  public let kind: Kind
  /// The path of the affected node, if any.
  public let path: RestorationPath?
  /// The message.
  public let message: String
}

extension ReportNote: CustomStringConvertible {
  /// The path and message.
  public var description: String { "\(path.map { "\($0.textForDisplay): " } ?? "")\(message)" }
}

extension ReportNote: Encodable {
  /// Encodes the note, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["kind": kind.rawValue, "path": path?.description, "message": message])
  }
}
