import Foundation
public import StateRestoration

extension RestorableTree {
  /// Starts fresh with the given objects, saves them, and opens the archive.
  public static func saved(
    _ roots: [any Restorable], delegate: SampleDelegate? = nil, header: ArchiveHeader = .sample
  ) throws -> ArchiveReader {
    let application = RestorableTree(roots: roots, delegate: delegate)
    try application.startFresh()
    return try application.saved(header: header)
  }

  /// Saves, and opens the archive.
  public func saved(header: ArchiveHeader = .sample, options: PreservationOptions = PreservationOptions()) throws -> ArchiveReader {
    guard let data = try preserve(header: header, options: options).archive else { throw NothingSaved() }
    return try ArchiveReader(data)
  }
}

/// The error for a save that produced no archive.
public struct NothingSaved: Error {}

extension ArchiveHeader {
  /// A header with an arbitrary time.
  public static var sample: ArchiveHeader { .at(build: "42", seconds: 1000) }

  /// Returns the header of a build at a time.
  public static func at(build: String, seconds: Double) -> ArchiveHeader {
    ArchiveHeader(bundleVersion: build, timestamp: Date(timeIntervalSinceReferenceDate: seconds))
  }
}

extension ArchiveReader {
  /// Returns the paths of all nodes, parents first.
  public func paths() throws -> [String] {
    func paths(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [String] {
      nodes.flatMap { node in
        let path = parent.appending(node.identifier)
        return [path.description] + paths(node.children, path)
      }
    }
    return paths(try ArchiveTree(decoding: self).nodes, .application)
  }

  /// Returns the state at a path, or nil if there is no node.
  public func state(_ path: RestorationPath) throws -> ArchiveDictionary? { try node(at: path)?.state() }
}
