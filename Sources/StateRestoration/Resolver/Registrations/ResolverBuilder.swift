/// A result builder for the registrations of a ``Resolver``.
@resultBuilder
public enum ResolverBuilder {
  /// A list of registrations.
  public struct Part {
    let steps: [(inout Registrar) -> Void]

    fileprivate init(_ steps: [(inout Registrar) -> Void]) { self.steps = steps }

    /// Creates an empty list.
    public init() { steps = [] }
  }

  /// Adds a factory.
  public static func buildExpression(_ factory: Factory) -> Part { Part([{ $0.add(factory) }]) }
  /// Adds an alias.
  public static func buildExpression(_ alias: Alias) -> Part { Part([{ $0.add(alias) }]) }
  /// Adds a tombstone.
  public static func buildExpression(_ tombstone: Tombstone) -> Part { Part([{ $0.add(tombstone) }]) }
  /// Adds an upgrade.
  public static func buildExpression(_ upgrade: Upgrade) -> Part { Part([{ $0.add(upgrade) }]) }
  /// Adds the registrations of another builder function.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Concatenates registrations.
  public static func buildBlock(_ parts: Part...) -> Part { Part(parts.flatMap(\.steps)) }
  /// Adds the registrations of an `if` without `else`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? Part() }
  /// Adds the registrations of the first branch.
  public static func buildEither(first part: Part) -> Part { part }
  /// Adds the registrations of the second branch.
  public static func buildEither(second part: Part) -> Part { part }
  /// Adds the registrations of a loop.
  public static func buildArray(_ parts: [Part]) -> Part { Part(parts.flatMap(\.steps)) }
  /// Adds the registrations of an availability check.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}

/// A new path for saved nodes, or a new tag for a type.
///
/// A node saved at the old path, and its descendants, are restored at the new path. If the archive already has a node
/// at the new path, that node takes precedence, and the state at the old path is carried over.
public struct Alias: Sendable {
  enum Subject {
    case path(String, String)
    case type(String, String)
  }

  let subject: Subject
  let place: SourcePlace

  /// Restores nodes saved at `oldPath` at `newPath`.
  public init(_ oldPath: String, to newPath: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .path(oldPath, newPath)
    place = SourcePlace(fileID: fileID, line: line)
  }

  /// Treats nodes saved with `oldTag` as nodes with `newTag`.
  public init(type oldTag: String, to newTag: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .type(oldTag, newTag)
    place = SourcePlace(fileID: fileID, line: line)
  }
}

/// A registration for intentionally removed nodes: they and their descendants are skipped, and not carried over.
public struct Tombstone: Sendable {
  let path: String
  let place: SourcePlace

  /// Marks the nodes of a path or pattern as removed.
  public init(_ path: String, fileID: StaticString = #fileID, line: UInt = #line) {
    self.path = path
    place = SourcePlace(fileID: fileID, line: line)
  }
}

/// The source location of a registration.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The module and file, in `#fileID` format.
  public let fileID: String
  /// The line.
  public let line: Int

  /// Creates a source location.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = "\(fileID)"
    self.line = Int(line)
  }

  /// The file and line, separated by a colon.
  public var description: String { "\(fileID):\(line)" }
}
