public import RestorationArchive

/// An error in the use of the engine, or in processing a node.
///
/// The error never contains an archived value.
public struct RestorationError: Error, Sendable, Hashable {
  /// A stable name of an error.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name in reports.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The name.
    public var description: String { rawValue }

    /// Saving was requested before the saved state was restored or given up.
    public static let notRestoredYet = Self(rawValue: "not-restored-yet")
    /// A call came at a time that does not permit it: restoring or starting fresh within a callback, preserving within preserving, a second
    /// launch or restoring, a scene that is open already or before the launch, an offer before what was restored is stable or
    /// for an archive that is not open.
    public static let wrongTime = Self(rawValue: "wrong-time")
    /// The name of a scene, or a bundle identifier without a folder, cannot name a file.
    public static let unusableName = Self(rawValue: "unusable-name")
    /// Two objects have the same path.
    public static let duplicatePath = Self(rawValue: "duplicate-path")
    /// An object threw while it encoded its state.
    public static let encodingFailed = Self(rawValue: "encoding-failed")
    /// A reference is to an object of another type than requested.
    public static let referenceType = Self(rawValue: "reference-type")
    /// A restored property has no key, or its key is already taken; or the properties of a class cannot be found.
    public static let propertyKey = Self(rawValue: "property-key")
    /// An upgrade failed.
    public static let upgrade = Self(rawValue: "upgrade")
    /// A coder of the engine was used outside the engine, or a foreign coder inside it.
    public static let noSession = Self(rawValue: "no-session")
    /// An object that tracks its changes has changed without reporting it (``PreservationOptions/verifiesChanges``).
    public static let unreportedChange = Self(rawValue: "unreported-change")
    /// A line of a ``SizeBudget`` in its text form is not one.
    public static let budgetSyntax = Self(rawValue: "budget-syntax")
  }

  /// The error code.
  public let code: Code
  /// The path of the affected node, if any.
  public let path: RestorationPath?
  /// The message.
  public let message: String

  @inline(never)
  package init(_ code: Code, path: RestorationPath? = nil, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}

extension RestorationError: CustomStringConvertible {
  /// The message and path, on one line.
  public var description: String {
    path.map { "\(message) (path \($0.textForDisplay))" } ?? message
  }
}

/// An error of this package whose description contains no archived value.
protocol SafeToDescribe: Error, CustomStringConvertible {}

extension RestorationError: SafeToDescribe {}

/// Error descriptions for reports and logs: one line, without archived values.
///
/// The errors of this package contain no archived values. Other errors, such as those of the standard library, may
/// quote the value that failed to decode. Their text is therefore limited to type and coding path;
/// ``RestorationDelegate/didCatch(_:at:)`` receives the errors themselves.
enum ErrorText {
  private static let limit = 400
  /// The maximum depth of underlying errors.
  private static let depth = 4

  static func text(of error: any Error) -> String {
    let text = line(for: error, depth: 0)
    return text.count > limit ? text.prefix(limit) + "…" : text
  }

  private static func line(for error: any Error, depth: Int) -> String {
    switch error {
    case let error as ArchiveError: error.description
    case let error as any SafeToDescribe: error.description
    case let error as DecodingError: line(for: error, depth: depth)
    // The value that could not be encoded is not shown; archive errors have its type in its place.
    case EncodingError.invalidValue(let value, let context):
      line("EncodingError", value as? Any.Type ?? type(of: value), context.codingPath, context.underlyingError, depth: depth)
    default: "\(type(of: error))".escapedForDisplay
    }
  }

  private static func line(for error: DecodingError, depth: Int) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      line("DecodingError.typeMismatch", type, context.codingPath, context.underlyingError, depth: depth)
    case .valueNotFound(let type, let context):
      line("DecodingError.valueNotFound", type, context.codingPath, context.underlyingError, depth: depth)
    case .keyNotFound(let key, let context):
      line("DecodingError.keyNotFound", nil, context.codingPath + [key], context.underlyingError, depth: depth)
    case .dataCorrupted(let context):
      line("DecodingError.dataCorrupted", nil, context.codingPath, context.underlyingError, depth: depth)
    @unknown default: "DecodingError"
    }
  }

  private static func line(_ name: String, _ type: Any.Type?, _ path: [any CodingKey], _ underlying: (any Error)?, depth: Int) -> String {
    let keys = path.map(\.stringValue).joined(separator: ".").escapedForDisplay
    // Archive errors describe themselves completely, except for nested keys.
    if let error = underlying as? ArchiveError { return path.count > 1 ? "\(error) (at \(keys))" : error.description }
    var text = name
    if let type { text += " for \("\(type)".escapedForDisplay)" }
    if !path.isEmpty { text += " (at \(keys))" }
    if let underlying, depth < Self.depth { text += ": \(line(for: underlying, depth: depth + 1))" }
    return text
  }
}

extension String {
  /// The text in quotation marks, escaped for display.
  var quotedForDisplay: String { "\"\(escapedForDisplay)\"" }
}

extension RestorationPath {
  /// The text form, escaped for display; the empty path as `(application)`.
  var textForDisplay: String { isEmpty ? "(application)" : description.escapedForDisplay }
}
