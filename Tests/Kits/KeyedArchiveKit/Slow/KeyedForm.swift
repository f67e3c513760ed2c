import Foundation
public import RestorationArchive

/// The tree that a reader of the layout of `Spec/keyed-archive.md`, section 4, must find, written from that section.
public enum KeyedForm {
  /// Returns the expected content of the named value `root`.
  public static func expected(of tree: ArchiveTree) -> PlainPropertyList {
    var members: [(String, PlainPropertyList)] = [("restorationArchive", .integer(1))]
    if tree.minorVersion > 0 { members.append(("minorVersion", .integer(Int128(tree.minorVersion)))) }
    if !tree.header.entries.isEmpty { members.append(("header", dictionary(tree.header.entries))) }
    if !tree.applicationState.isEmpty { members.append(("application", dictionary(tree.applicationState))) }
    if !tree.nodes.isEmpty { members.append(("nodes", .array(tree.nodes.map(node)))) }
    if !tree.sections.isEmpty {
      members.append(("sections", .array(tree.sections.map { .object([("code", .string($0.code)), ("data", .data([UInt8]($0.data)))]) })))
    }
    return .object(members)
  }

  private static func node(_ node: ArchiveNode) -> PlainPropertyList {
    var members: [(String, PlainPropertyList)] = [("identifier", .string(node.identifier))]
    if let type = node.type { members.append(("type", .string(type))) }
    if node.schemaVersion > 0 { members.append(("schema", .integer(Int128(node.schemaVersion)))) }
    if let origin = node.origin {
      var parts: [(String, PlainPropertyList)] = [("sessionsCarried", .integer(Int128(origin.sessionsCarried)))]
      if let version = origin.bundleVersion { parts.append(("bundleVersion", .string(version))) }
      if let time = origin.timestamp { parts.append(("timestamp", .date(time.timeIntervalSinceReferenceDate.bitPattern))) }
      members.append(("origin", .object(parts)))
    }
    if let provider = node.provider {
      members.append(("provider", .object([("name", .string(provider.name)), ("identifier", .string(provider.identifier))])))
    }
    if !node.attributes.isEmpty { members.append(("attributes", dictionary(node.attributes))) }
    if !node.state.isEmpty { members.append(("state", dictionary(node.state))) }
    if !node.children.isEmpty { members.append(("children", .array(node.children.map(self.node)))) }
    return .object(members)
  }

  private static func dictionary(_ dictionary: ArchiveDictionary) -> PlainPropertyList {
    .object(
      dictionary.map { entry in
        (entry.key, entry.isSensitive ? .object([("$sensitive", value(entry.value))]) : value(entry.value))
      })
  }

  private static func value(_ value: ArchiveValue) -> PlainPropertyList {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(Int128("\(value)") ?? 0)
    case .float(let value): return .real(value.bitPattern)
    case .string(let text): return .string(text)
    case .data(let data): return .data([UInt8](data))
    case .date(let date): return .date(date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let uuid):
      let digits = uuid.uuidString.filter { $0 != "-" }
      return .object([("uuid", .data((0..<16).map { UInt8(digits.dropFirst(2 * $0).prefix(2), radix: 16) ?? 0 }))])
    case .url(let text):
      return .object([(URL(string: text).map { Array($0.absoluteString.utf8) == Array(text.utf8) } == true ? "url" : "$url", .string(text))]
      )
    case .array(let elements): return .array(elements.map(self.value))
    case .dictionary(let entries):
      let plain = dictionary(entries)
      return entries.count == 1 && entries[0].key.utf8.first == UInt8(ascii: "$") ? .object([("$dictionary", plain)]) : plain
    case .reference(let path): return .object([("$reference", .array(path.components.map { .string($0) }))])
    }
  }
}
