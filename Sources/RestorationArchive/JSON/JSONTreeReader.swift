import ArchiveFormat
import FoundationValues

/// A reader that builds an archive from the tokens of its JSON form (sections 2 to 5 of `Spec/json.md`).
struct JSONTreeReader {
  let text: [UInt8]
  let tokens: [JSONToken]
  /// Whether keys without a full stop must be registered, as in version 1.0.
  private var isStrict = true
  /// Whether the text is that of a link, whose header names the file before it.
  private var isLink = false
  private var origins: [(origin: ArchiveOrigin, offset: Int)] = []
  private var usedOrigins: Set<Int> = []
  /// The different pairs of type and schema version, as the bytes of both.
  private var types: Set<[UInt8]> = []
  private var path: [String] = []

  /// Reads a text.
  static func read(_ text: [UInt8]) throws(ArchiveError) -> ArchiveTree {
    let tokens = try ArchiveError.wrapping { () throws(FormatError) in try JSONScanner.scan(text) }
    var reader = JSONTreeReader(text: text, tokens: tokens)
    do throws(FormatError) {
      return try reader.readArchive()
    } catch {
      throw ArchiveError(error, path: reader.path.isEmpty ? nil : RestorationPath(validated: reader.path))
    }
  }

  /// Returns the offset in the text of the token at an index.
  func start(_ place: Int) -> Int { tokens[place].start }

  // MARK: Objects

  /// A member of an object.
  struct Member {
    let key: String
    let keyToken: JSONToken
    /// The index of the value's token.
    let value: Int
  }

  /// Returns the members of the object at an index.
  func members(of object: Int) -> [Member] {
    var members: [Member] = []
    var index = object + 1
    while index < tokens[object].next {
      let key = tokens[index]
      members.append(Member(key: JSONStringDecoder.string(of: key, in: text), keyToken: key, value: index + 1))
      index = tokens[index + 1].next
    }
    return members
  }

  private func member(_ name: String, of object: Int) -> Member? { members(of: object).first { $0.key.isSameText(as: name) } }

  /// Returns the indexes of the elements of the array at an index.
  func elements(of array: Int) -> [Int] {
    var elements: [Int] = []
    var index = array + 1
    while index < tokens[array].next {
      elements.append(index)
      index = tokens[index].next
    }
    return elements
  }

  /// Returns the members of an object by name; only the given names are allowed, and in a link `linkNames` too.
  private func fixedMembers(
    of object: Int, _ names: [String], linkNames: [String] = [], required: [String] = []
  ) throws(FormatError) -> [String: Int] {
    guard tokens[object].kind == .object else { throw memberError(at: start(object), expected: "an object") }
    var result: [String: Int] = [:]
    for member in members(of: object) {
      let name = member.key.asKnownName
      let isOfLinks = linkNames.contains(name)
      guard names.contains(name) || isLink && isOfLinks else {
        let expected = "one of \(names.joined(separator: ", "))"
        throw memberError(at: member.keyToken.start, expected: expected, rule: isOfLinks ? "R-J4-3" : nil)
      }
      result[name] = member.value
    }
    for name in required where result[name] == nil {
      throw memberError(at: start(object), expected: "a member \(name)")
    }
    return result
  }

  func memberError(at offset: Int, expected: String, rule: StaticString? = nil) -> FormatError {
    FormatError(.jsonMember, at: offset, "json form", expected: .text(expected), rule: rule)
  }

  private func string(at place: Int) throws(FormatError) -> String {
    guard isString(place) else { throw memberError(at: start(place), expected: "a string") }
    return JSONStringDecoder.string(of: tokens[place], in: text)
  }

  func isString(_ place: Int) -> Bool {
    tokens[place].kind == .string || tokens[place].kind == .escapedString
  }

  /// Returns an integer in a range, written without a fraction or exponent.
  private func integer(at place: Int, in range: ClosedRange<UInt64>) throws(FormatError) -> UInt64 {
    guard tokens[place].kind == .number, case .integer(let value) = try number(at: place), let result: UInt64 = value.converted(),
      range.contains(result)
    else { throw memberError(at: start(place), expected: "an integer from \(range.lowerBound) to \(range.upperBound)") }
    return result
  }

  /// Returns members in text order, so that the first fault is the one reported.
  private func inOrder(_ members: [String: Int]) -> [(key: String, value: Int)] {
    members.sorted { $0.value < $1.value }.map { ($0.key, $0.value) }
  }

  // MARK: Archive

  private mutating func readArchive() throws(FormatError) -> ArchiveTree {
    guard tokens[0].kind == .object else { throw memberError(at: start(0), expected: "an object") }
    try readVersion()
    isLink = namesBase
    let names = ["application", "header", "minorVersion", "nodes", "origins", "restorationArchive", "sections"]
    let members = try fixedMembers(of: 0, names, linkNames: ["change"])
    var tree = ArchiveTree()
    // Members that determine how others are read come first. Faults are still reported in text order, because each
    // member is read as a whole.
    if let version = members["minorVersion"] {
      tree.minorVersion = UInt16(try integer(at: version, in: 0...65_535))
      isStrict = tree.minorVersion <= ArchivePrefix.minorVersion
    }
    if let list = members["origins"] { try readOrigins(list) }
    for (key, value) in inOrder(members) {
      switch key {
      case "application": tree.applicationState = try readEntries(value, role: .state)
      case "change":
        guard try string(at: value).asKnownName == "unchanged" else { throw memberError(at: start(value), expected: "unchanged") }
        tree.isApplicationUnchanged = true
      case "header": tree.header = try readHeader(value)
      case "nodes":
        tree.nodes = try readNodes(value)
        guard types.count <= FormatLimits.typeTable else {
          throw FormatError(.tableSize, at: start(value), "types", expected: "at most \(FormatLimits.typeTable)", rule: "R-4.3-12")
        }
      case "sections": tree.sections = try readSections(value)
      default: break
      }
    }
    if tree.isApplicationUnchanged, !tree.applicationState.isEmpty, let state = members["application"] {
      throw FormatError(.linkRecord, at: start(state), "application that is unchanged", expected: "no state")
    }
    for (index, origin) in origins.enumerated() where !usedOrigins.contains(index + 1) {
      throw FormatError(.unusedOrigin, at: origin.offset, "origin", expected: "a node that has it")
    }
    return tree
  }

  /// Whether the header of the text has the key that makes it a link.
  private var namesBase: Bool {
    guard let header = member("header", of: 0)?.value, tokens[header].kind == .object else { return false }
    return member(RegisteredHeaderKey.baseContentDigest.rawValue, of: header) != nil
  }

  private func readVersion() throws(FormatError) {
    guard let member = member("restorationArchive", of: 0) else {
      throw memberError(at: start(0), expected: "a member restorationArchive")
    }
    guard tokens[member.value].kind == .number, case .integer(let version) = try number(at: member.value) else {
      throw memberError(at: start(member.value), expected: "an integer")
    }
    guard version == 1 else {
      throw FormatError(.jsonVersion, at: start(member.value), "version of the json form", expected: .number(1), found: "\(version)")
    }
  }

  private func readHeader(_ object: Int) throws(FormatError) -> ArchiveHeader {
    guard tokens[object].kind == .object else { throw memberError(at: start(object), expected: "an object") }
    var header = ArchiveHeader()
    var volatile: [HeaderEntry] = []
    var count = 0
    for member in members(of: object) {
      let offset = member.keyToken.start
      try FormatError.checkLength(member.key.utf8.count, FormatLimits.headerKey, at: offset, "header key length")
      let registered = RegisteredHeaderKey(rawValue: member.key)
      if registered?.isVolatile != true { try self.count(&count, FormatLimits.headerEntries, "header", at: offset) }
      guard registered != nil || !isStrict || member.key.utf8.contains(UInt8(ascii: ".")) else {
        throw FormatError(.unknownHeaderKey, at: offset, "header key", expected: "a registered key, or one with a full stop")
      }
      let value = try self.value(at: member.value, depth: 0)
      let wanted = registered?.kind.name ?? "a scalar"
      if registered == .baseContentDigest, case .string(let text) = value, UInt64(digits: text) == nil {
        throw HeaderRules.digestError(at: start(member.value))
      }
      guard let scalar = HeaderScalar(value), registered.map({ header.set(value, for: $0) }) ?? true else {
        throw FormatError(
          .headerType, at: start(member.value), "header value", expected: .text(wanted), found: .text(value.typeName))
      }
      if registered == nil { header.additional[member.key] = value }
      if registered?.isVolatile == true { volatile.append(HeaderEntry(key: member.key, value: scalar)) }
    }
    try OutputBuffer().append(volatileHeader: volatile, at: start(object))
    return header
  }

  // MARK: Origins

  private mutating func readOrigins(_ list: Int) throws(FormatError) {
    guard tokens[list].kind == .array else { throw memberError(at: start(list), expected: "an array") }
    var seen: Set<ArchiveOrigin> = []
    var count = 0
    for element in elements(of: list) {
      try self.count(&count, FormatLimits.typeTable, "origins", at: start(element), rule: "R-4.3-11")
      let origin = try readOrigin(element)
      guard seen.insert(origin).inserted else {
        throw FormatError(.originOrder, at: start(element), "origins", expected: "each once")
      }
      origins.append((origin, start(element)))
    }
  }

  private func readOrigin(_ object: Int) throws(FormatError) -> ArchiveOrigin {
    var origin = ArchiveOrigin()
    for (key, value) in inOrder(try fixedMembers(of: object, ["bundleVersion", "sessionsCarried", "timestamp"])) {
      switch key {
      case "bundleVersion": origin.bundleVersion = try boundedString(at: value, FormatLimits.originBundleVersion, "bundle version length")
      case "sessionsCarried":
        origin.sessionsCarried = UInt32(try integer(at: value, in: 0...0xFFFF_FFFF))
      default:
        guard case .date(let date) = try self.value(at: value, depth: 0) else {
          throw memberError(at: start(value), expected: "a date")
        }
        origin.timestamp = date
      }
    }
    return origin
  }

  // MARK: Nodes

  private mutating func readNodes(_ list: Int) throws(FormatError) -> [ArchiveNode] {
    guard tokens[list].kind == .array else { throw memberError(at: start(list), expected: "an array") }
    var nodes: [ArchiveNode] = []
    var seen = ByteInterner()
    for element in elements(of: list) {
      let (node, identifierOffset) = try readNode(element)
      let count = seen.count
      guard node.identifier.withUTF8Bytes({ seen.intern($0) }) == count else {
        throw FormatError(.duplicateIdentifier, at: identifierOffset, "identifiers of siblings", expected: "each once")
      }
      nodes.append(node)
    }
    // In a link the order says nothing (section 4.1).
    if isLink { nodes.sort { $0.identifier.precedesAsText($1.identifier) } }
    return nodes
  }

  /// Reads a node and its descendants.
  ///
  /// Recursion is bounded by the depth of a path.
  private mutating func readNode(_ object: Int) throws(FormatError) -> (ArchiveNode, identifierOffset: Int) {
    let names = ["attributes", "children", "identifier", "origin", "provider", "schema", "state", "type"]
    let members = try fixedMembers(of: object, names, linkNames: ["after", "change"], required: ["identifier"])
    guard path.count < FormatLimits.pathComponents else {
      throw FormatError(.pathDepth, at: start(object), "depth", expected: "at most \(FormatLimits.pathComponents)", rule: "R-3.1-2")
    }
    var node = ArchiveNode("")
    var identifierOffset = 0
    // The identifier comes first, so that errors about the other members can include the path.
    if let place = members["identifier"] {
      node.identifier = try boundedString(at: place, FormatLimits.identifier, "identifier length")
      identifierOffset = start(place)
    }
    path.append(node.identifier)
    for (key, value) in inOrder(members) {
      switch key {
      case "type": node.type = try boundedString(at: value, FormatLimits.typeTag, "type tag length")
      case "schema": node.schemaVersion = Int(clamping: try integer(at: value, in: 0...0xFFFF_FFFF))
      case "origin": node.origin = try readOriginIndex(value)
      case "provider": node.provider = try readProvider(value)
      case "attributes": node.attributes = try readEntries(value, role: .attributes(strict: isStrict))
      case "state": node.state = try readEntries(value, role: .state)
      case "children": node.children = try readNodes(value)
      case "after": node.change.place = try readPlace(value)
      case "change": node.change.kind = try readChange(value)
      default: break
      }
    }
    if node.type == nil, node.schemaVersion != 0, let schema = members["schema"] {
      throw memberError(at: start(schema), expected: "0 without a type", rule: "R-J4-2")
    }
    if let fault = Self.linkFault(of: node), let place = members["change"] {
      throw FormatError(.linkRecord, at: start(place), "node that is \(node.change.kind)", expected: .text(fault))
    }
    if let type = node.type { noteType(type, node.schemaVersion) }
    path.removeLast()
    return (node, identifierOffset)
  }

  private func readPlace(_ place: Int) throws(FormatError) -> NodeChange.Place {
    if tokens[place].kind == .null { return .first }
    return .after(try boundedString(at: place, FormatLimits.identifier, "identifier length"))
  }

  private func readChange(_ place: Int) throws(FormatError) -> NodeChange.Kind {
    switch try string(at: place).asKnownName {
    case "unchanged": return .unchanged
    case "removed": return .removed
    default: throw memberError(at: start(place), expected: "unchanged or removed")
    }
  }

  /// Returns what a node of a link must not have beside its change, if it has some (rule R-15.2-2).
  private static func linkFault(of node: ArchiveNode) -> String? {
    if node.change.kind == .contents { return nil }
    let isEmpty =
      node.type == nil && node.origin == nil && node.provider == nil && node.attributes.isEmpty && node.state.isEmpty
    if !isEmpty { return "neither type, origin, provider, attributes nor state" }
    if node.change.kind == .removed, !node.children.isEmpty { return "no nodes below it" }
    return node.change.kind == .removed && node.change.place != nil ? "no place" : nil
  }

  /// Counts a pair of type and schema version.
  private mutating func noteType(_ tag: String, _ schemaVersion: Int) {
    types.insert((0..<4).map { UInt8(truncatingIfNeeded: schemaVersion >> (8 * $0)) } + Array(tag.utf8))
  }

  private func boundedString(at place: Int, _ bounds: ClosedRange<Int>, _ subject: String) throws(FormatError) -> String {
    let result = try string(at: place)
    try FormatError.checkLength(result.utf8.count, bounds, at: start(place), subject)
    return result
  }

  private mutating func readOriginIndex(_ place: Int) throws(FormatError) -> ArchiveOrigin? {
    let index = Int(clamping: try integer(at: place, in: 0...0xFFFF_FFFF))
    guard index <= origins.count else {
      throw FormatError(.originIndex, at: start(place), "origin", expected: "at most \(origins.count)", found: .number(index))
    }
    guard index > 0 else { return nil }
    usedOrigins.insert(index)
    return origins[index - 1].origin
  }

  private func readProvider(_ object: Int) throws(FormatError) -> ProviderReference {
    var provider = ProviderReference(name: "", identifier: "")
    for (key, value) in inOrder(try fixedMembers(of: object, ["identifier", "name"], required: ["name", "identifier"])) {
      let text = try boundedString(at: value, FormatLimits.providerName, "provider reference")
      if key == "name" { provider.name = text } else { provider.identifier = text }
    }
    return provider
  }

  // MARK: Entries and sections

  private func readEntries(_ object: Int, role: EntryRole) throws(FormatError) -> ArchiveDictionary {
    guard tokens[object].kind == .object else { throw memberError(at: start(object), expected: "an object") }
    return try entries(of: object, role: role, depth: 0)
  }

  /// Counts an entry of a table whose size is limited.
  private func count(
    _ count: inout Int, _ limit: Int, _ subject: String, at offset: Int, rule: StaticString = "R-4.3-14"
  ) throws(FormatError) {
    count += 1
    if count > limit { throw FormatError(.tableSize, at: offset, subject, expected: "at most \(limit) entries", rule: rule) }
  }

  private func readSections(_ list: Int) throws(FormatError) -> [ArchiveSection] {
    guard tokens[list].kind == .array else { throw memberError(at: start(list), expected: "an array") }
    var sections: [(code: SectionCode, section: ArchiveSection)] = []
    var seen: Set<SectionCode> = []
    var count = SectionCode.required.count + (isLink ? 1 : 0)
    for element in elements(of: list) {
      try self.count(&count, FormatLimits.sections, "sections", at: start(element))
      let section = try readSection(element, seen: seen)
      seen.insert(section.code)
      sections.append(section)
    }
    return sections.sorted { $0.code.rawValue < $1.code.rawValue }.map(\.section)
  }

  private func readSection(_ object: Int, seen: Set<SectionCode>) throws(FormatError) -> (code: SectionCode, section: ArchiveSection) {
    var code: SectionCode?
    var data = Data()
    for (key, value) in inOrder(try fixedMembers(of: object, ["code", "data"], required: ["code", "data"])) {
      let offset = start(value)
      let text = try string(at: value)
      if key == "data" {
        guard let bytes = Base64.data(of: text) else { throw memberError(at: offset, expected: "base64") }
        data = bytes
      } else {
        guard let parsed = SectionCode(text: text) else {
          throw FormatError(.sectionCode, at: offset, "section code", expected: "four letters, the third a capital")
        }
        guard !SectionCode.required.contains(parsed), !seen.contains(parsed) else {
          throw FormatError(.sectionOrder, at: offset, "section", expected: "ancillary sections, each once", found: .text(parsed.text))
        }
        guard !parsed.isCritical else {
          throw FormatError(.unknownCriticalSection, at: offset, "section", expected: "an ancillary one", found: .text(parsed.text))
        }
        code = parsed
      }
    }
    guard let code else { throw memberError(at: start(object), expected: "a member code") }
    return (code, ArchiveSection(code, data: data))
  }

  // MARK: Numbers

  /// Returns the number at an index.
  func number(at place: Int) throws(FormatError) -> ArchiveValue {
    try JSONNumber.value(of: text[start(place)..<tokens[place].end])
  }
}
