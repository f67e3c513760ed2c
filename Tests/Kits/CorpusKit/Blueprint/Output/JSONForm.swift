/// The JSON form (Spec json.md) of a draft, generated from the table and not from the bytes.
struct JSONForm {
  private let draft: Draft
  /// The draft's origins in archive order.
  private let origins: [DraftOrigin]

  init(_ draft: Draft) {
    self.draft = draft
    origins = draft.origins.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// The text of the `.json` file.
  var document: String {
    var members: [JSONText.Member] = [.init("restorationArchive", .plain("1"))]
    if draft.minorVersion != 0 { members.append(.init("minorVersion", .plain("\(draft.minorVersion)"))) }
    Self.add("header", draft.header, to: &members)
    Self.add("application", draft.application, to: &members)
    if !draft.nodes.isEmpty { members.append(.init("nodes", .array(draft.nodes.map(node)))) }
    if !origins.isEmpty { members.append(.init("origins", .array(origins.map(Self.origin)))) }
    if !draft.sections.isEmpty {
      let sorted = draft.sections.sorted { Bytes.ascends($0.code, $1.code) }
      members.append(
        .init("sections", .array(sorted.map { .object([.init("code", .string($0.code)), .init("data", .string($0.base64))]) })))
    }
    return JSONText.object(members).document
  }

  private func node(_ node: DraftNode) -> JSONText {
    var members: [JSONText.Member] = [.init("identifier", .string(node.identifier))]
    if let type = node.type { members.append(.init("type", .string(type))) }
    if node.schema != 0 { members.append(.init("schema", .plain("\(node.schema)"))) }
    if node.origin != 0 {
      let bytes = draft.origins[node.origin - 1].bytes
      members.append(.init("origin", .plain("\((origins.firstIndex { $0.bytes == bytes } ?? 0) + 1)")))
    }
    if let provider = node.provider {
      let value = JSONText.object([.init("name", .string(provider.name)), .init("identifier", .string(provider.identifier))])
      members.append(.init("provider", value))
    }
    Self.add("attributes", node.attributes, to: &members)
    Self.add("state", node.state, to: &members)
    if !node.children.isEmpty { members.append(.init("children", .array(node.children.map(self.node)))) }
    return .object(members)
  }

  private static func add(_ name: String, _ entries: DraftEntries, to members: inout [JSONText.Member]) {
    guard !entries.isEmpty else { return }
    members.append(.init(name, .object(entries.sorted.map { .init($0.key, value($0.value)) })))
  }

  private static func origin(_ origin: DraftOrigin) -> JSONText {
    var members: [JSONText.Member] = []
    if let version = origin.bundleVersion { members.append(.init("bundleVersion", .string(version))) }
    if let timestamp = origin.timestamp { members.append(.init("timestamp", date(timestamp.json))) }
    if origin.sessionsCarried != 0 { members.append(.init("sessionsCarried", .plain("\(origin.sessionsCarried)"))) }
    return .object(members)
  }

  private static func value(_ value: DraftValue) -> JSONText {
    switch value {
    case .null, .raw: return .plain("null")
    case .bool(let value): return .plain("\(value)")
    case .integer(let value): return .plain("\(value)")
    case .float(_, let json): return float(json)
    case .string(let text): return .string(text)
    case .data(_, let base64): return tagged("$data", .string(base64))
    case .date(_, let json): return date(json)
    case .uuid(let text): return tagged("$uuid", .string(text))
    case .url(let text): return tagged("$url", .string(text))
    case .reference(let components): return tagged("$reference", .array(components.map { .string($0) }))
    case .sensitive(let inner): return tagged("$sensitive", self.value(inner))
    case .array(let elements): return .array(elements.map(self.value))
    case .dictionary(let entries): return dictionary(entries)
    }
  }

  private static func dictionary(_ entries: DraftEntries) -> JSONText {
    let members = entries.sorted.map { JSONText.Member($0.key, value($0.value)) }
    guard members.count == 1, members[0].key.hasPrefix("$") else { return .object(members) }
    return tagged("$dictionary", .object(members))
  }

  private static func date(_ json: String) -> JSONText {
    tagged("$date", json.hasSuffix("Z") ? .string(json) : float(json))
  }

  /// Returns a number as written, or as a `$float`.
  private static func float(_ json: String) -> JSONText {
    ["0x", "nan", "inf", "-inf"].contains(where: json.hasPrefix) ? tagged("$float", .string(json)) : .plain(json)
  }

  private static func tagged(_ tag: String, _ value: JSONText) -> JSONText {
    .object([.init(tag, value)])
  }
}
