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
    /// Restoring, starting fresh or preserving was called during restoring or preserving, or a second time; an offer was
    /// accepted before what was restored is stable.
    public static let wrongTime = Self(rawValue: "wrong-time")
    /// Two objects have the same path.
    public static let duplicatePath = Self(rawValue: "duplicate-path")
    /// An object threw while it encoded its state.
    public static let encodingFailed = Self(rawValue: "encoding-failed")
    /// A reference is to an object of another type than requested.
    public static let referenceType = Self(rawValue: "reference-type")
    /// A restored property has no key, or its key is already taken.
    public static let propertyKey = Self(rawValue: "property-key")
    /// An upgrade failed.
    public static let upgrade = Self(rawValue: "upgrade")
    /// A coder of the engine was used outside the engine, or a foreign coder inside it.
    public static let noSession = Self(rawValue: "no-session")
    /// An object that tracks its changes has changed without reporting it (``PreservationOptions/verifiesChanges``).
    public static let untoldChange = Self(rawValue: "untold-change")
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
