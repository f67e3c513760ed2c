public import RestorationArchive

/// A wrong use of the engine, or a node that it could not do something with.
///
/// It never contains an archived value.
public struct RestorationError: Error, Sendable, Hashable {
  /// A stable name for what went wrong.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name as reports write it.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The name itself.
    public var description: String { rawValue }

    /// State was to be saved before it was decided what becomes of the saved one.
    public static let notRestoredYet = Self(rawValue: "not-restored-yet")
    /// Restoring, starting fresh or preserving was begun within restoring or preserving, or twice.
    public static let wrongTime = Self(rawValue: "wrong-time")
    /// Two objects have the same path.
    public static let duplicatePath = Self(rawValue: "duplicate-path")
    /// An object threw while it encoded its state.
    public static let encodingFailed = Self(rawValue: "encoding-failed")
    /// A reference leads to an object of another type than asked for.
    public static let referenceType = Self(rawValue: "reference-type")
    /// A restored property has no key, or the key of another one.
    public static let propertyKey = Self(rawValue: "property-key")
    /// An upgrade could not be made.
    public static let upgrade = Self(rawValue: "upgrade")
    /// A coder of the engine was used outside of it, or the other way round.
    public static let noSession = Self(rawValue: "no-session")
  }

  /// What went wrong.
  public let code: Code
  /// The path of the node concerned, if there is one.
  public let path: RestorationPath?
  /// In words.
  public let message: String

  @inline(never)
  init(_ code: Code, path: RestorationPath? = nil, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}

extension RestorationError: CustomStringConvertible {
  /// One line: what went wrong, and where.
  public var description: String {
    path.map { "\(message) (path \($0.textForDisplay))" } ?? message
  }
}
