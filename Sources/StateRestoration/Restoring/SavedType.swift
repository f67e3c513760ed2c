/// A type that nodes of an archive have: what is asked about every node of it, answered once.
struct SavedType {
  /// The tag that its nodes have now; nil for nodes without a type.
  let tag: String?
  /// The version of what their states look like, after upgrades.
  let schemaVersion: Int
  /// The number of the factory that is registered for it.
  let factory: Int?
  /// The class of the object that was asked about last, and what is known of it.
  private var asked: ObjectIdentifier?
  private var answer = ClassAnswer(hasTag: true, mayKeepKeys: false)

  /// What the class of an object says about nodes of a type.
  struct ClassAnswer {
    /// Whether its objects have the tag, or the nodes have none.
    let hasTag: Bool
    /// Whether keys that its objects do not know may have to be kept, even if nothing was noted with the node.
    let mayKeepKeys: Bool
  }

  init(tag: String?, schemaVersion: Int, factory: Int?) {
    self.tag = tag
    self.schemaVersion = schemaVersion
    self.factory = factory
  }

  /// What a class says about nodes of this type.
  mutating func ask(_ kind: any Restorable.Type) -> ClassAnswer {
    let identity = ObjectIdentifier(kind)
    if asked == identity { return answer }
    answer = ClassAnswer(
      hasTag: tag.map { $0.isSameText(as: kind.restorationType) } ?? true,
      mayKeepKeys: schemaVersion > kind.restorationSchema || kind.keepsUnknownKeys)
    asked = identity
    return answer
  }
}
