/// A result builder for the registrations of a ``Resolver``.
@resultBuilder
public enum ResolverBuilder {
  /// A list of registrations.
  public struct Part {
    enum Kind {
      case factory(Factory)
      case alias(Alias)
      case tombstone(Tombstone)
      case upgrade(Upgrade)
    }

    let kinds: [Kind]

    init(kinds: [Kind]) { self.kinds = kinds }

    /// Creates an empty list.
    public init() { kinds = [] }
  }

  /// Adds a factory.
  public static func buildExpression(_ factory: Factory) -> Part { Part(kinds: [.factory(factory)]) }
  /// Adds an alias.
  public static func buildExpression(_ alias: Alias) -> Part { Part(kinds: [.alias(alias)]) }
  /// Adds a tombstone.
  public static func buildExpression(_ tombstone: Tombstone) -> Part { Part(kinds: [.tombstone(tombstone)]) }
  /// Adds an upgrade.
  public static func buildExpression(_ upgrade: Upgrade) -> Part { Part(kinds: [.upgrade(upgrade)]) }
  /// Adds the registrations of another builder function.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Concatenates registrations.
  public static func buildBlock(_ parts: Part...) -> Part { Part(kinds: parts.flatMap(\.kinds)) }
  /// Adds the registrations of an `if` without `else`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? Part(kinds: []) }
  /// Adds the registrations of the first branch.
  public static func buildEither(first part: Part) -> Part { part }
  /// Adds the registrations of the second branch.
  public static func buildEither(second part: Part) -> Part { part }
  /// Adds the registrations of a loop.
  public static func buildArray(_ parts: [Part]) -> Part { Part(kinds: parts.flatMap(\.kinds)) }
  /// Adds the registrations of an availability check.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}
