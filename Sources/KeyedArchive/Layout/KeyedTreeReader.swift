import ArchiveFormat
import FoundationValues
import RestorationArchive

/// A reader of archives in our layout.
///
/// The depth of nodes and of values is limited, because the graph may have circles.
struct KeyedTreeReader {
  private static let maximumNodes = FormatLimits.pathComponents
  private static let maximumNesting = FormatLimits.nesting

  let archive: KeyedArchive
  let context: ImportContext

  /// Whether the keyed archive holds an archive in our layout.
  var isArchive: Bool {
    (archive.top.count == 1 || archive.layoutFault != nil)
      && archive.entries(archive[KeyedLayout.root])?.contains { $0.key.isSameText(as: KeyedLayout.version) } == true
  }

  private func fault(_ subject: String, _ expected: String, _ value: KeyedValue?) -> KeyedArchiveError {
    KeyedArchiveError(.archiveLayout, at: offset(of: value), subject, expected: expected)
  }

  /// The offset of the object that a value refers to; nil for a value in line, or none.
  private func offset(of value: KeyedValue?) -> Int? { if case .object(let number) = value { archive.objects[number].offset } else { nil } }

  /// Whether a value refers to an object that was lost, in a list that is salvaged: the loss is reported already.
  private func isLost(_ value: KeyedValue) -> Bool {
    guard context.tolerance == .salvage, case .object(let number) = value else { return false }
    return archive.objects[number].isLost
  }

  /// Returns the members of a dictionary, which must be among the named ones.
  private func members(_ value: KeyedValue, _ subject: String, _ names: Set<String>) throws(KeyedArchiveError) -> [String: KeyedValue] {
    guard let fields = archive.entries(value) else { throw fault(subject, "a dictionary", value) }
    try context.create(1 + fields.count, at: nil)
    var members: [String: KeyedValue] = [:]
    for field in fields where !isLost(field.value) {
      let name = field.key.asKnownName
      guard names.contains(name), members.updateValue(field.value, forKey: name) == nil else {
        throw fault(subject, "known keys, each once", value)
      }
    }
    return members
  }

  private func string(_ value: KeyedValue?, _ subject: String) throws(KeyedArchiveError) -> String {
    guard let text = archive.string(value) else { throw fault(subject, "a string", value) }
    try context.spend(text.utf8.count, at: nil)
    return text
  }

  private func integer<Value: FixedWidthInteger>(_ value: KeyedValue?, _ subject: String) throws(KeyedArchiveError) -> Value {
    guard let integer = archive.integer(value), let number = Value(exactly: integer) else {
      throw fault(subject, "an integer in range", value)
    }
    return number
  }

  private func elements(_ value: KeyedValue, _ subject: String) throws(KeyedArchiveError) -> [KeyedValue] {
    guard let elements = archive.elements(value, takesSets: false) else { throw fault(subject, "an array", value) }
    try context.create(1 + elements.count, at: nil)
    return elements
  }

  // MARK: Archive

  /// Reads the archive.
  ///
  /// In a list that is salvaged, a member or node that was lost is left out, and a record stands in the place of a lost value.
  ///
  /// - Throws: `archive-layout` with the offset of the fault; the limits of the context.
  func tree() throws(KeyedArchiveError) -> ArchiveTree {
    if let fault = archive.layoutFault { throw fault }
    let names: Set = [KeyedLayout.version, "minorVersion", "header", "application", "nodes", "sections"]
    let members = try members(archive[KeyedLayout.root] ?? .null, "archive", names)
    guard archive.integer(members[KeyedLayout.version]) == 1 else {
      throw KeyedArchiveError(.archiveVersion, at: offset(of: members[KeyedLayout.version]), KeyedLayout.version, expected: "1")
    }
    var tree = ArchiveTree()
    if let version = members["minorVersion"] { tree.minorVersion = try integer(version, "minorVersion") }
    if let header = members["header"] {
      let entries = try unmarked(header)
      guard let read = try? ArchiveHeader(entries: entries) else { throw fault("header", "values of the registered types", header) }
      tree.header = read
    }
    if let application = members["application"] { tree.applicationState = try entries(application, depth: 0) }
    if let nodes = members["nodes"] { tree.nodes = try self.nodes(nodes, depth: 0) }
    if let sections = members["sections"] {
      for element in try elements(sections, "sections") where !isLost(element) { tree.sections.append(try section(element)) }
    }
    return tree
  }

  private func section(_ value: KeyedValue) throws(KeyedArchiveError) -> ArchiveSection {
    let members = try members(value, "section", ["code", "data"])
    let code = try string(members["code"], "code of a section")
    guard let data = archive.data(members["data"]) else { throw fault("data of a section", "data", value) }
    try context.spend(data.count, at: nil)
    guard let section = try? ArchiveSection(code: code, data: Data(data)) else {
      throw fault("code of a section", "that of an ancillary section", value)
    }
    return section
  }

  private func nodes(_ value: KeyedValue, depth: Int) throws(KeyedArchiveError) -> [ArchiveNode] {
    guard depth < Self.maximumNodes else {
      throw KeyedArchiveError(.depthLimit, at: nil, "depth of nodes", expected: "at most \(Self.maximumNodes)", found: "more")
    }
    var nodes: [ArchiveNode] = []
    for element in try elements(value, "nodes") where !isLost(element) { nodes.append(try node(element, depth: depth)) }
    return nodes
  }

  private func node(_ value: KeyedValue, depth: Int) throws(KeyedArchiveError) -> ArchiveNode {
    let names: Set = ["identifier", "type", "schema", "origin", "provider", "attributes", "state", "children"]
    let members = try members(value, "node", names)
    guard let identifier = members["identifier"] else { throw fault("node", "an identifier", value) }
    var node = ArchiveNode(try string(identifier, "identifier"))
    if let type = members["type"] { node.type = try string(type, "type") }
    if let schema = members["schema"] { node.schemaVersion = try integer(schema, "schema") }
    if let origin = members["origin"] { node.origin = try self.origin(origin) }
    if let provider = members["provider"] {
      let names = try self.members(provider, "provider", ["name", "identifier"])
      node.provider = ProviderReference(
        name: try string(names["name"], "name of a provider"), identifier: try string(names["identifier"], "identifier of a provider"))
    }
    if let attributes = members["attributes"] { node.attributes = try unmarked(attributes) }
    if let state = members["state"] { node.state = try entries(state, depth: 0) }
    if let children = members["children"] { node.children = try nodes(children, depth: depth + 1) }
    return node
  }

  private func origin(_ value: KeyedValue) throws(KeyedArchiveError) -> ArchiveOrigin {
    let members = try members(value, "origin", ["bundleVersion", "timestamp", "sessionsCarried"])
    var origin = ArchiveOrigin()
    if let version = members["bundleVersion"] { origin.bundleVersion = try string(version, "bundleVersion") }
    if let count = members["sessionsCarried"] { origin.sessionsCarried = try integer(count, "sessionsCarried") }
    if let timestamp = members["timestamp"] {
      guard let seconds = archive.date(timestamp) else { throw fault("timestamp", "a date", value) }
      origin.timestamp = Date(timeIntervalSinceReferenceDate: seconds)
    }
    return origin
  }

  // MARK: Values

  /// Returns the entries of a header or of attributes, of which none can be sensitive itself.
  private func unmarked(_ value: KeyedValue) throws(KeyedArchiveError) -> ArchiveDictionary {
    let entries = try entries(value, depth: 0)
    guard !entries.contains(where: \.isSensitive) else {
      throw fault("header or attributes", "no entry that is marked as sensitive", value)
    }
    return entries
  }

  private func entries(_ value: KeyedValue, depth: Int) throws(KeyedArchiveError) -> ArchiveDictionary {
    guard let fields = archive.entries(value) else { throw fault("entries", "a dictionary", value) }
    try context.create(1 + fields.count, at: nil)
    guard depth <= Self.maximumNesting else { throw .depthLimit(Self.maximumNesting) }
    var entries: [ArchiveDictionary.Entry] = []
    for field in fields {
      try context.spend(field.key.utf8.count, at: nil)
      let marked = tagged(field.value)
      let isSensitive = marked?.key == KeyedLayout.sensitive
      let value = try self.value(isSensitive ? marked?.value ?? .null : field.value, depth: depth + 1)
      entries.append(ArchiveDictionary.Entry(key: field.key, value: value, isSensitive: isSensitive))
    }
    let dictionary = ArchiveDictionary(entries)
    guard dictionary.count == entries.count else { throw fault("entries", "each key once", value) }
    return dictionary
  }

  /// Returns the entry of a dictionary that is a tagged value: one with a single key that begins with `$`.
  ///
  /// The key is empty if it is not a known name.
  private func tagged(_ value: KeyedValue) -> KeyedField? {
    guard let fields = archive.entries(value), fields.count == 1, fields[0].key.beginsWith("$") else { return nil }
    return KeyedField(key: fields[0].key.asKnownName, value: fields[0].value)
  }

  private func value(_ value: KeyedValue, depth: Int) throws(KeyedArchiveError) -> ArchiveValue {
    try context.create(at: nil)
    guard depth <= Self.maximumNesting + 1 else { throw .depthLimit(Self.maximumNesting) }
    if isLost(value), case .object(let number) = value { return ["$class": "$lost", "number": .integer(number)] }
    switch archive.resolve(value) {
    case .null, .bare(.null): return .null
    case .bare(.bool(let value)): return .bool(value)
    case .bare(.integer(let number)):
      guard let integer = ArchiveInteger(exactly: number) else { throw fault("integer", "-2^63 to 2^64-1", value) }
      return .integer(integer)
    case .bare(.real(let value)): return .float(value)
    case .bare(.string(let text)), .string(let text):
      try context.spend(text.utf8.count, at: nil)
      return .string(text)
    case .bare(.data(let bytes)), .data(let bytes):
      try context.spend(bytes.count, at: nil)
      return .data(Data(bytes))
    case .bare(.date(let seconds)), .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid(let bytes): return .uuid(UUID(bytes: bytes))
    case .url(base: .null, let text) where !text.isEmpty:
      try context.spend(text.utf8.count, at: nil)
      return .url(text)
    case .array(let elements), .bare(.array(let elements)):
      var values: [ArchiveValue] = []
      for element in elements { values.append(try self.value(element, depth: depth + 1)) }
      return .array(values)
    case .dictionary, .bare(.dictionary):
      guard let tagged = tagged(value) else { return .dictionary(try entries(value, depth: depth)) }
      return try self.value(tagged, depth: depth)
    default: throw fault("value", "one of the classes of the layout", value)
    }
  }

  private func value(_ tagged: KeyedField, depth: Int) throws(KeyedArchiveError) -> ArchiveValue {
    switch tagged.key {
    case KeyedLayout.url:
      let text = try string(tagged.value, "url")
      guard !text.isEmpty else { throw fault("url", "text", tagged.value) }
      return .url(text)
    case KeyedLayout.dictionary: return .dictionary(try entries(tagged.value, depth: depth))
    case KeyedLayout.reference:
      var components: [String] = []
      for element in try elements(tagged.value, "reference") { components.append(try string(element, "component of a path")) }
      guard let path = try? RestorationPath(components: components) else { throw fault("reference", "a path", tagged.value) }
      return .reference(path)
    default: throw fault("tagged value", "$url, $dictionary or $reference", tagged.value)
    }
  }
}

/// The names in the layout of a restoration archive as a keyed archive (`Spec/keyed-archive.md`, section 4).
enum KeyedLayout {
  /// The named value that holds the archive.
  static let root = "root"
  /// The major version, a member of the archive.
  static let version = "restorationArchive"

  /// The tags of values that Foundation has no class for.
  static let reference = "$reference"
  static let sensitive = ImportContext.sensitiveTag
  static let url = "$url"
  /// Only in a plain property list, in which a URL has no class either.
  static let uuid = "$uuid"
  static let dictionary = "$dictionary"
  /// The tag of a string that would be taken for nil.
  static let null = "$null"
}
