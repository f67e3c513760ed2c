#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// Writes the JSON form of an archive (section 7 of `Spec/json.md`).
struct JSONTreeWriter: ~Copyable {
  private let buffer = OutputBuffer(capacity: 4096)
  private let sensitive: SensitiveValues
  private var indentation = 0
  /// Whether the container that is open has a member or element already.
  private var isContinued = false
  private var origins: [ArchiveOrigin: Int] = [:]

  init(sensitive: SensitiveValues) {
    self.sensitive = sensitive
  }

  /// The text.
  mutating func write(_ tree: ArchiveTree) -> Data {
    let origins = Self.origins(of: tree)
    self.origins = Dictionary(uniqueKeysWithValues: origins.enumerated().map { ($1, $0 + 1) })
    object { writer in
      if !tree.applicationState.isEmpty { writer.member("application") { $0.entries(tree.applicationState) } }
      let header = tree.header.entries
      if !header.isEmpty { writer.member("header") { $0.entries(header) } }
      if tree.minorVersion != 0 { writer.member("minorVersion") { $0.raw("\(tree.minorVersion)") } }
      if !tree.nodes.isEmpty { writer.member("nodes") { $0.nodes(tree.nodes) } }
      if !origins.isEmpty { writer.member("origins") { $0.array(origins) { $0.origin($1) } } }
      writer.member("restorationArchive") { $0.raw("1") }
      if !tree.sections.isEmpty { writer.member("sections") { $0.array(tree.sections) { $0.section($1) } } }
    }
    raw("\n")
    return Data(taking: buffer)
  }

  /// The origins of all nodes in the order of the archive's table.
  private static func origins(of tree: ArchiveTree) -> [ArchiveOrigin] {
    var origins: Set<ArchiveOrigin> = []
    var rest = tree.nodes
    while let node = rest.popLast() {
      if let origin = node.origin { origins.insert(origin) }
      rest += node.children
    }
    let encoded = origins.map { (origin: $0, bytes: $0.record.encoded) }
    return encoded.sorted { $0.bytes.span.precedes($1.bytes.span) }.map(\.origin)
  }

  // MARK: Parts

  private mutating func nodes(_ nodes: [ArchiveNode]) {
    array(nodes) { $0.node($1) }
  }

  private mutating func node(_ node: ArchiveNode) {
    object { writer in
      if !node.attributes.isEmpty { writer.member("attributes") { $0.entries(node.attributes) } }
      if !node.children.isEmpty { writer.member("children") { $0.nodes(node.children) } }
      writer.member("identifier") { $0.string(node.identifier) }
      if let origin = node.origin, let index = writer.origins[origin] { writer.member("origin") { $0.raw("\(index)") } }
      if let provider = node.provider {
        writer.member("provider") { writer in
          writer.object { writer in
            writer.member("identifier") { $0.string(provider.identifier) }
            writer.member("name") { $0.string(provider.name) }
          }
        }
      }
      if node.schemaVersion != 0 { writer.member("schema") { $0.raw("\(node.schemaVersion)") } }
      if !node.state.isEmpty { writer.member("state") { $0.entries(node.state) } }
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
  }

  private mutating func origin(_ origin: ArchiveOrigin) {
    object { writer in
      if let version = origin.bundleVersion { writer.member("bundleVersion") { $0.string(version) } }
      if origin.sessionsCarried != 0 { writer.member("sessionsCarried") { $0.raw("\(origin.sessionsCarried)") } }
      if let timestamp = origin.timestamp { writer.member("timestamp") { $0.date(timestamp) } }
    }
  }

  private mutating func section(_ section: ArchiveSection) {
    object { writer in
      writer.member("code") { $0.string(section.code) }
      writer.member("data") { $0.string(section.data.base64EncodedString()) }
    }
  }

  private mutating func entries(_ dictionary: ArchiveDictionary) {
    object { writer in
      for entry in dictionary {
        writer.member(entry.key) { writer in
          guard entry.isSensitive else { return writer.value(entry.value) }
          writer.tagged("$sensitive") { writer in
            switch writer.sensitive {
            case .reveal: writer.value(entry.value)
            case .redact: writer.raw("null")
            }
          }
        }
      }
    }
  }

  // MARK: Values

  private mutating func value(_ value: ArchiveValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .integer(let value): raw(value.description)
    case .float(let value): float(value)
    case .string(let text): string(text)
    case .data(let data): tagged("$data") { $0.string(data.base64EncodedString()) }
    case .date(let date): self.date(date)
    case .uuid(let uuid): tagged("$uuid") { $0.string(uuid.uuidString.lowercased()) }
    case .url(let text): tagged("$url") { $0.string(text) }
    case .array(let elements): array(elements) { $0.value($1) }
    case .reference(let path): tagged("$reference") { $0.array(path.components) { $0.string($1) } }
    case .dictionary(let dictionary):
      if dictionary.count == 1, dictionary[0].key.utf8.first == UInt8(ascii: "$") {
        tagged("$dictionary") { $0.entries(dictionary) }
      } else {
        entries(dictionary)
      }
    }
  }

  private mutating func float(_ value: Double) {
    if value.isFinite {
      raw(FloatText.text(of: value))
    } else {
      tagged("$float") { $0.string(Self.name(of: value)) }
    }
  }

  private static func name(of value: Double) -> String {
    if value == .infinity { return "inf" }
    if value == -.infinity { return "-inf" }
    if value.bitPattern == 0x7FF8_0000_0000_0000 { return "nan" }
    return "0x\(ContentDigest(rawValue: value.bitPattern))"
  }

  private mutating func date(_ date: Date) {
    tagged("$date") { writer in
      if let text = DateText.text(of: date) { writer.string(text) } else { writer.float(date.timeIntervalSinceReferenceDate) }
    }
  }

  // MARK: Text

  private mutating func tagged(_ tag: String, _ body: (inout JSONTreeWriter) -> Void) {
    object { $0.member(tag, body) }
  }

  private mutating func object(_ body: (inout JSONTreeWriter) -> Void) {
    container("{", "}", body)
  }

  private mutating func array<Element>(_ elements: [Element], _ body: (inout JSONTreeWriter, Element) -> Void) {
    container("[", "]") { writer in
      for element in elements {
        writer.beginLine()
        body(&writer, element)
        writer.isContinued = true
      }
    }
  }

  private mutating func container(_ opening: String, _ closing: String, _ body: (inout JSONTreeWriter) -> Void) {
    raw(opening)
    indentation += 1
    isContinued = false
    body(&self)
    indentation -= 1
    if isContinued { newLine() }
    raw(closing)
  }

  private mutating func member(_ key: String, _ body: (inout JSONTreeWriter) -> Void) {
    beginLine()
    string(key)
    raw(": ")
    body(&self)
    isContinued = true
  }

  private mutating func beginLine() {
    if isContinued { raw(",") }
    newLine()
  }

  private func newLine() {
    raw("\n")
    for _ in 0..<indentation { raw("  ") }
  }

  private func raw(_ text: String) {
    text.withUTF8Bytes { buffer.append(contentsOf: $0) }
  }

  /// Writes a string with the escapes of rule R-J7-5.
  private func string(_ text: String) {
    raw("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": raw("\\\"")
      case "\\": raw("\\\\")
      case "\u{8}": raw("\\b")
      case "\u{C}": raw("\\f")
      case "\n": raw("\\n")
      case "\r": raw("\\r")
      case "\t": raw("\\t")
      default:
        if scalar.isSafeToDisplay {
          raw(String(scalar))
        } else {
          let digits = String(scalar.value, radix: 16)
          raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        }
      }
    }
    raw("\"")
  }
}
