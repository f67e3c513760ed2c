public import RestorationArchive

/// The state of a node while it is being upgraded.
public struct UpgradingState {
  /// The state, by key.
  public var values: ArchiveDictionary
  /// The path of the node.
  public let path: RestorationPath
  /// Entries that go to nodes below this one.
  private(set) var moved: [(child: String, entry: ArchiveDictionary.Entry)] = []

  init(_ values: ArchiveDictionary, path: RestorationPath) {
    self.values = values
    self.path = path
  }

  /// The value under a key, or nil if there is none; setting nil removes it.
  public subscript(key: String) -> ArchiveValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Puts a value under another key, replacing what is there; does nothing if there is none under the old one.
  public mutating func rename(_ key: String, to newKey: String) {
    guard let entry = values.entry(forKey: key), !key.isSameText(as: newKey) else { return }
    values[key] = nil
    values[newKey] = entry.value
    values.setSensitive(entry.isSensitive, forKey: newKey)
  }

  /// Removes a value.
  public mutating func remove(_ key: String) {
    values[key] = nil
  }

  /// Sets a value.
  public mutating func set(_ key: String, to value: ArchiveValue) {
    values[key] = value
  }

  /// Replaces a value by what `change` makes of it; does nothing if there is none.
  public mutating func transform(_ key: String, _ change: (ArchiveValue) throws -> ArchiveValue) rethrows {
    if let value = values[key] { values[key] = try change(value) }
  }

  /// Gives a value to a node below this one, which is made if there is none; a value that the other node has under the key stays.
  ///
  /// - Precondition: The identifier has 1 to 1,024 bytes, the new key at least one.
  public mutating func move(_ key: String, toChild identifier: String, as newKey: String? = nil) {
    precondition((1...1024).contains(identifier.utf8.count), "an identifier has 1 to 1024 bytes")
    guard let entry = values.entry(forKey: key) else { return }
    values[key] = nil
    moved.append(
      (identifier, ArchiveDictionary.Entry(key: newKey ?? key, value: entry.value, isSensitive: entry.isSensitive)))
  }
}
