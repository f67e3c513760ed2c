/// Collects what a ``Resolver`` is made of.
@resultBuilder
public enum ResolverBuilder {
  /// What can stand in a resolver.
  public struct Part {
    enum Kind {
      case factory(Factory)
      case alias(Alias)
      case tombstone(Tombstone)
      case upgrade(Upgrade)
    }

    let kinds: [Kind]

    init(kinds: [Kind]) { self.kinds = kinds }

    /// No part: a resolver that registers nothing.
    public init() { kinds = [] }
  }

  /// Takes a factory.
  public static func buildExpression(_ factory: Factory) -> Part { Part(kinds: [.factory(factory)]) }
  /// Takes an alias.
  public static func buildExpression(_ alias: Alias) -> Part { Part(kinds: [.alias(alias)]) }
  /// Takes a tombstone.
  public static func buildExpression(_ tombstone: Tombstone) -> Part { Part(kinds: [.tombstone(tombstone)]) }
  /// Takes an upgrade.
  public static func buildExpression(_ upgrade: Upgrade) -> Part { Part(kinds: [.upgrade(upgrade)]) }
  /// Takes what another builder function made.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Joins parts.
  public static func buildBlock(_ parts: Part...) -> Part { Part(kinds: parts.flatMap(\.kinds)) }
  /// Takes part of an `if`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? Part(kinds: []) }
  /// Takes one branch.
  public static func buildEither(first part: Part) -> Part { part }
  /// Takes the other branch.
  public static func buildEither(second part: Part) -> Part { part }
  /// Takes what a loop made.
  public static func buildArray(_ parts: [Part]) -> Part { Part(kinds: parts.flatMap(\.kinds)) }
  /// Takes what needs a newer system.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}
