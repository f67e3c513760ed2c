public import RestorationArchive

/// A step that upgrades the states of a type, or the application state, from one schema version to a later one.
///
///     Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
///     Upgrade(applicationStateFrom: 0, to: 1) { state in state.rename("colours", to: "theme") }
///
/// Upgrades of a type are chained, and must lead to the schema version of its class. A node is upgraded before its factory
/// is asked, and the application state before ``RestorationDelegate/shouldRestoreState(from:launch:)``. A node that was
/// saved without a type counts as version 0 of the type that its object has now.
public struct Upgrade {
  /// The type tag; nil for the application state.
  let type: String?
  let from: Int
  let to: Int
  let place: SourcePlace
  let apply: (inout UpgradingState) throws -> Void
  /// The schema version of the class, if the upgrade is registered for a class.
  private(set) var classVersion: Int?

  /// Creates an upgrade step for a type tag.
  public init(
    type: String, from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(type, from, to, SourcePlace(fileID: fileID, line: line), apply)
  }

  /// Creates an upgrade step for a class, by its ``Restorable/restorationType``.
  public init<Object: Restorable>(
    _ type: Object.Type, from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(type.restorationType, from, to, SourcePlace(fileID: fileID, line: line), apply)
    classVersion = type.restorationSchemaVersion
  }

  /// Creates an upgrade step for the application state, between versions of ``RestorationDelegate/applicationSchemaVersion``.
  ///
  /// Application state saved without a version has version 0.
  public init(
    applicationStateFrom from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(nil, from, to, SourcePlace(fileID: fileID, line: line), apply)
  }

  private init(_ type: String?, _ from: Int, _ to: Int, _ place: SourcePlace, _ apply: @escaping (inout UpgradingState) throws -> Void) {
    (self.type, self.from, self.to, self.place, self.apply) = (type, from, to, place, apply)
  }
}

/// The state of a node during an upgrade.
public struct UpgradingState {
  /// The state, by key.
  public var values: ArchiveDictionary
  /// The path of the node.
  public let path: RestorationPath
  /// The entries to move to child nodes.
  private(set) var moved: [(child: String, type: (any Restorable.Type)?, entry: ArchiveDictionary.Entry)] = []

  /// The type that the node changes to, until the upgrades of that type are applied.
  var newType: (tag: String, version: Int)?

  init(_ values: ArchiveDictionary, path: RestorationPath) {
    self.values = values
    self.path = path
  }

  /// The value of a key, or nil if it does not exist; setting nil removes it.
  ///
  /// A value that is set keeps the mark of the key as sensitive, and a new key has none: use ``copy(_:to:)`` to copy a
  /// value with its mark.
  public subscript(key: String) -> ArchiveValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Moves a value to another key, replacing any value there; does nothing if the old key does not exist.
  public mutating func rename(_ key: String, to newKey: String) {
    guard !key.isSameText(as: newKey), values.entry(forKey: key) != nil else { return }
    copy(key, to: newKey)
    values[key] = nil
  }

  /// Copies a value, and its mark as sensitive, to another key, replacing any value there; does nothing if the first key
  /// does not exist.
  ///
  /// For a key that is split into several, or that older builds still need.
  public mutating func copy(_ key: String, to newKey: String) {
    guard let entry = values.entry(forKey: key) else { return }
    values[newKey] = entry.value
    values.setSensitive(entry.isSensitive, forKey: newKey)
  }

  /// Removes a value.
  public mutating func remove(_ key: String) {
    values[key] = nil
  }

  /// Sets a value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - isSensitive: Whether tools should hide the value; nil keeps the mark of the key.
  public mutating func set(_ key: String, to value: ArchiveValue, isSensitive: Bool? = nil) {
    values[key] = value
    if let isSensitive { values.setSensitive(isSensitive, forKey: key) }
  }

  /// Replaces a value by the result of `change`; does nothing if the key does not exist.
  public mutating func transform(_ key: String, _ change: (ArchiveValue) throws -> ArchiveValue) rethrows {
    if let value = values[key] { values[key] = try change(value) }
  }

  /// Changes the type of the node, for example because a type was split in two; the upgrades of the new type from that
  /// version on follow.
  ///
  ///     Upgrade(type: "Tab", from: 1, to: 2) { state in
  ///       if state["draft"] != nil { state.changeType(to: "Draft", schemaVersion: 1) }
  ///     }
  ///
  /// The upgrade fails if the tag has not 1 to 1,024 bytes, or the version is not 0 to 2^32-1.
  public mutating func changeType(to tag: String, schemaVersion version: Int) {
    newType = (tag, version)
  }

  /// Moves a value to a child node, which is created if necessary; if the child already has a value for the key, the one
  /// that a live object saved last is kept, and the child's own if both were saved together.
  ///
  /// The values of a child that is created count as saved by this build. The upgrade fails if the identifier has not
  /// 1 to 1,024 bytes, if the new key is empty, and if the child cannot take the value because its own upgrade fails or its state
  /// is damaged.
  ///
  ///     state.move("draft", toChild: "editor", as: "text", ofType: Editor.self)
  ///
  /// - Parameters:
  ///   - key: The key of the value; nothing happens if it does not exist.
  ///   - identifier: The identifier of the child.
  ///   - newKey: The key in the child's state; nil for the same.
  ///   - type: The class of the child's object, for a child that is created: the factory of its type makes it. If nil, or a class
  ///     without a type, the child has no type, and an object that is there, or the factory of its path, takes the value. A
  ///     child that has state keeps its own type.
  public mutating func move(
    _ key: String, toChild identifier: String, as newKey: String? = nil, ofType type: (any Restorable.Type)? = nil
  ) {
    guard let entry = values.entry(forKey: key) else { return }
    values[key] = nil
    moved.append(
      (identifier, type, ArchiveDictionary.Entry(key: newKey ?? key, value: entry.value, isSensitive: entry.isSensitive)))
  }
}
