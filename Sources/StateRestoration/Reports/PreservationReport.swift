public import RestorationArchive

/// What became of the objects that were to be saved.
///
/// What was saved as it should be is in no finding; ``entries()`` lists all that is in the archive, with sizes. Whatever tells sizes puts the
/// archive together, if nobody has asked for its bytes before.
public struct PreservationReport: Sendable {
  /// Something that did not go the plain way.
  public struct Finding: Sendable, Hashable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
      /// The state was not to be saved now.
      case notSaved = "not-saved"
      /// An object could not encode its state; what it had before is kept.
      case keptPrevious = "kept-previous"
      /// An object could not encode its state, and had none before.
      case failed
      /// State that nobody took is in the archive again.
      case carriedOver = "carried-over"
      /// State that nobody took is dropped, because of its age or size.
      case expired
      /// State that nobody took is dropped for good: the object above it, or at its path, has been closed, or the app said that it is gone.
      case discarded
      /// State that nobody took gives way to an object at its path.
      case superseded
      /// The user has changed the object of a quarantined node: its state is saved, and what was saved before is offered.
      case quarantineEnded = "quarantine-ended"
      /// Two objects have the same path.
      case duplicate
      /// An object was met twice.
      case twice
      /// An object has no identifier that could be saved.
      case withoutIdentifier = "without-identifier"
      /// Objects lie too deep.
      case tooDeep = "too-deep"
      /// A reference leads to an object without a path.
      case reference
      /// Keys that an object does not know are kept.
      case keptKeys = "kept-keys"
      /// Something could not be put into the archive.
      case lost
    }

    /// What it is about.
    public let kind: Kind
    /// The path concerned, if there is one.
    public let path: RestorationPath?
    /// In words.
    public let message: String
  }

  /// A node of the archive that was made.
  public struct Entry: Sendable, Hashable {
    /// Its path.
    public let path: RestorationPath
    /// How many bytes its state takes.
    public let byteCount: Int
    /// Whether it is carried over, because nobody took its state.
    public let isCarriedOver: Bool
  }

  /// What did not go the plain way, in the order in which it was met.
  public let findings: [Finding]
  /// How many nodes the archive has.
  public let nodeCount: Int
  let archive: PreservedArchive?
  /// The quarantined paths, as they were given, whose objects the user has changed.
  var quarantineChanges: Set<RestorationPath> = []

  /// How many bytes the archive has, which is put together for that; 0 without one.
  public var byteCount: Int { (try? archive?.encoded.data())?.count ?? 0 }

  /// Every node of the archive, parents first, with its size.
  ///
  /// - Complexity: O(n log n).
  public func entries() -> [Entry] {
    guard let archive = archive?.reader else { return [] }
    let tree = SavedTree(archive, moves: [])
    return tree.order.dropFirst().compactMap { index in
      tree.node(of: index).map { Entry(path: $0.path, byteCount: $0.stateByteCount, isCarriedOver: $0.origin != nil) }
    }
  }

  /// Whether state that was saved before is not in the archive although nobody wanted it gone, so that the old archive should be kept.
  public var isDegraded: Bool {
    findings.contains { $0.kind == .superseded || $0.kind == .lost }
  }

  /// The nodes that this is about.
  var losses: Set<RestorationPath> {
    Set(findings.lazy.filter { $0.kind == .superseded || $0.kind == .lost }.compactMap(\.path))
  }

  /// The findings about a path.
  public func findings(at path: RestorationPath) -> [Finding] {
    findings.filter { $0.path == path }
  }
}

extension PreservationReport: CustomStringConvertible {
  /// How much was saved, then a line for each finding.
  public var description: String {
    let first = archive == nil ? "saved nothing" : "saved \(nodeCount) nodes in \(byteCount) bytes"
    return ([first] + findings.map(\.description)).joined(separator: "\n")
  }
}

extension PreservationReport.Finding: CustomStringConvertible {
  /// The path, the kind and what happened.
  public var description: String { "\(path.map { "\($0.textForDisplay): " } ?? "")\(message) [\(kind.rawValue)]" }
}
