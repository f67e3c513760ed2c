/// A node type of an archive, with cached answers that apply to all of its nodes.
struct SavedType {
  /// The current tag of the type; nil for nodes without a type.
  let tag: String?
  /// The schema version of the states, after upgrades.
  let schemaVersion: Int
  /// The number of the factory registered for the type.
  let factory: Int?
  /// The last queried class, and the answer for it.
  private var asked: ObjectIdentifier?
  private var answer = ClassAnswer(hasTag: true, mayHaveUnknownKeys: false)

  /// The relation of a class to the nodes of a type.
  struct ClassAnswer {
    /// Whether the class has the tag, or the nodes have none.
    let hasTag: Bool
    /// Whether the class requires unknown keys to be preserved: its schema is older than the saved one, or it sets
    /// `keepsUnknownKeys`.
    ///
    /// Nodes with attributes are checked in any case.
    let mayHaveUnknownKeys: Bool
    /// The schema version of the class, if the saved one is newer.
    var olderSchemaVersion: Int?
  }

  init(tag: String?, schemaVersion: Int, factory: Int?) {
    self.tag = tag
    self.schemaVersion = schemaVersion
    self.factory = factory
  }

  /// Returns the answer of a class for nodes of this type.
  mutating func ask(_ kind: any Restorable.Type) -> ClassAnswer {
    let identity = ObjectIdentifier(kind)
    if asked == identity { return answer }
    answer = ClassAnswer(
      hasTag: tag.map { $0.isSameText(as: kind.restorationType) } ?? true,
      mayHaveUnknownKeys: schemaVersion > kind.restorationSchemaVersion || kind.keepsUnknownKeys,
      olderSchemaVersion: schemaVersion > kind.restorationSchemaVersion ? kind.restorationSchemaVersion : nil)
    asked = identity
    return answer
  }
}
