import FoundationEssentials
public import StateRestoration

extension RestorableApplication {
  /// Starts fresh with these objects and saves them.
  public static func saved(
    _ roots: [any Restorable], delegate: SampleDelegate? = nil, header: ArchiveHeader = .sample
  ) throws -> ArchiveReader {
    let application = RestorableApplication(roots: roots, delegate: delegate)
    try application.startFresh()
    return try application.saved(header: header)
  }

  /// Saves, and opens what was saved.
  public func saved(header: ArchiveHeader = .sample, options: PreservationOptions = PreservationOptions()) throws -> ArchiveReader {
    guard let data = try preserve(header: header, options: options).archive else { throw NothingSaved() }
    return try ArchiveReader(data)
  }
}

/// A save made no archive.
public struct NothingSaved: Error {}

extension ArchiveHeader {
  /// A header with the time of nothing in particular.
  public static var sample: ArchiveHeader { .at(build: "42", seconds: 1000) }

  /// The header of a build at a time.
  public static func at(build: String, seconds: Double) -> ArchiveHeader {
    ArchiveHeader(bundleVersion: build, timestamp: Date(timeIntervalSinceReferenceDate: seconds))
  }
}

extension ArchiveReader {
  /// The paths of all nodes, parents first.
  public func paths() throws -> [String] {
    func paths(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [String] {
      nodes.flatMap { node in
        let path = parent.appending(node.identifier)
        return [path.description] + paths(node.children, path)
      }
    }
    return paths(try ArchiveTree(decoding: self).nodes, .application)
  }

  /// The state at a path, if there is a node.
  public func state(_ path: RestorationPath) throws -> ArchiveDictionary? { try node(at: path)?.state() }
}
