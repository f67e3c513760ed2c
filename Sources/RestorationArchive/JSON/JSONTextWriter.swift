package import FoundationValues

/// A writer of JSON text in the layout of section 7 of `Spec/json.md`.
///
/// Each member and element is on its own line, indented by two spaces, and characters with an effect on terminals are
/// escaped. The caller writes the members of an object in ascending key order.
package struct JSONTextWriter: ~Copyable {
  private var bytes: [UInt8] = []
  private var indentation = 0
  /// Whether the open container already has a member or element.
  private var isContinued = false

  /// Creates a writer.
  package init() {}

  /// Returns the bytes written since the last call, so that long texts need not be in memory as a whole.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes = []
    return taken
  }

  /// The number of bytes that ``takeBytes()`` would return.
  package var byteCount: Int { bytes.count }

  /// Writes an object; `body` writes its members, in key order.
  package mutating func object(_ body: (inout JSONTextWriter) -> Void) {
    container("{", "}", body)
  }

  /// Writes an array; `body` writes each element.
  package mutating func array<Elements: Sequence>(_ elements: Elements, _ body: (inout JSONTextWriter, Elements.Element) -> Void) {
    array { writer in
      for element in elements { writer.element { body(&$0, element) } }
    }
  }

  /// Writes an array; `body` writes the elements with ``element(_:)``.
  package mutating func array(_ body: (inout JSONTextWriter) -> Void) {
    container("[", "]", body)
  }

  /// Writes an element of the open array.
  package mutating func element(_ body: (inout JSONTextWriter) -> Void) {
    beginLine()
    body(&self)
    isContinued = true
  }

  private mutating func container(_ opening: String, _ closing: String, _ body: (inout JSONTextWriter) -> Void) {
    raw(opening)
    indentation += 1
    isContinued = false
    body(&self)
    indentation -= 1
    if isContinued { newLine() }
    raw(closing)
  }

  /// Writes a member of the open object.
  package mutating func member(_ key: String, _ body: (inout JSONTextWriter) -> Void) {
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

  private mutating func newLine() {
    raw("\n")
    for _ in 0..<indentation { raw("  ") }
  }

  /// Writes text without escaping it.
  package mutating func raw(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a string with the escapes of rule R-J7-5.
  package mutating func string(_ text: String) {
    raw("\"")
    stringContent(text)
    raw("\"")
  }

  /// Writes part of a string; the caller writes the quotation marks.
  package mutating func stringContent(_ text: String) {
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
        if scalar.isPlainInJSON {
          raw(String(scalar))
        } else {
          let digits = String(scalar.value, radix: 16)
          raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        }
      }
    }
  }
}

extension JSONTextWriter {
  /// Writes the entries of a state or dictionary as an object.
  package mutating func entries(_ dictionary: ArchiveDictionary, sensitive: SensitiveValues) {
    object { writer in
      for entry in dictionary {
        writer.member(entry.key) { writer in
          guard entry.isSensitive else { return writer.value(entry.value, sensitive: sensitive) }
          writer.tagged("$sensitive") { writer in
            switch sensitive {
            case .reveal: writer.value(entry.value, sensitive: sensitive)
            case .redact: writer.raw("null")
            }
          }
        }
      }
    }
  }

  /// Writes a value (section 6 of `Spec/json.md`).
  package mutating func value(_ value: ArchiveValue, sensitive: SensitiveValues) {
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
    case .array(let elements): array(elements) { $0.value($1, sensitive: sensitive) }
    case .reference(let path): tagged("$reference") { $0.array(path.components) { $0.string($1) } }
    case .dictionary(let dictionary):
      if Self.looksTagged(dictionary) {
        tagged("$dictionary") { $0.entries(dictionary, sensitive: sensitive) }
      } else {
        entries(dictionary, sensitive: sensitive)
      }
    }
  }

  /// Returns whether a dictionary, written unchanged, would be read as a tagged value.
  static func looksTagged(_ dictionary: ArchiveDictionary) -> Bool {
    dictionary.count == 1 && dictionary[0].key.utf8.first == UInt8(ascii: "$")
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

  /// Writes a date.
  package mutating func date(_ date: Date) {
    tagged("$date") { writer in
      if let text = DateText.text(of: date) { writer.string(text) } else { writer.float(date.timeIntervalSinceReferenceDate) }
    }
  }

  mutating func tagged(_ tag: String, _ body: (inout JSONTextWriter) -> Void) {
    object { $0.member(tag, body) }
  }

  /// Writes a provider reference.
  package mutating func provider(_ provider: ProviderReference) {
    object { writer in
      writer.member("identifier") { $0.string(provider.identifier) }
      writer.member("name") { $0.string(provider.name) }
    }
  }
}

extension JSONTextWriter {
  /// Writes the buffered text to `output`, if there are more than 64 KiB.
  package mutating func flush(to output: inout some TextOutputStream) {
    if byteCount > 1 << 16 { output.write(takeText()) }
  }

  /// Writes a path as a string, in pieces, because a path can take a quarter of a megabyte.
  package mutating func path(_ path: RestorationPath, to output: inout some TextOutputStream) {
    raw("\"")
    for piece in path.pieces {
      stringContent(piece)
      flush(to: &output)
    }
    raw("\"")
  }

  /// Returns the text written since the last call.
  package mutating func takeText() -> String {
    String(decoding: takeBytes(), as: UTF8.self)
  }

  /// Writes an array element by element, so that it is never in memory as a whole.
  package mutating func array<Elements: Sequence, Output: TextOutputStream>(
    _ elements: Elements, to output: inout Output, _ body: (inout JSONTextWriter, Elements.Element, inout Output) -> Void
  ) {
    array { writer in
      for element in elements {
        writer.element { body(&$0, element, &output) }
        writer.flush(to: &output)
      }
    }
  }

  // MARK: Values

  /// Writes the entries of a state or dictionary as an object, in pieces.
  package mutating func entries(
    _ dictionary: ArchiveDictionary, sensitive: SensitiveValues, to output: inout some TextOutputStream
  ) {
    object { writer in
      for entry in dictionary {
        writer.member(entry.key) { writer in
          guard entry.isSensitive else { return writer.value(entry.value, sensitive: sensitive, to: &output) }
          writer.tagged("$sensitive") { writer in
            switch sensitive {
            case .reveal: writer.value(entry.value, sensitive: sensitive, to: &output)
            case .redact: writer.raw("null")
            }
          }
        }
        writer.flush(to: &output)
      }
    }
  }

  /// Writes a value (section 6 of `Spec/json.md`), with containers in pieces.
  package mutating func value(_ value: ArchiveValue, sensitive: SensitiveValues, to output: inout some TextOutputStream) {
    switch value {
    case .array(let elements):
      array(elements, to: &output) { $0.value($1, sensitive: sensitive, to: &$2) }
    case .dictionary(let dictionary) where Self.looksTagged(dictionary):
      tagged("$dictionary") { $0.entries(dictionary, sensitive: sensitive, to: &output) }
    case .dictionary(let dictionary): entries(dictionary, sensitive: sensitive, to: &output)
    default: self.value(value, sensitive: sensitive)
    }
  }
}

/// The treatment of sensitive values when an archive is converted to text.
public enum SensitiveValues: Sendable {
  /// Writes sensitive values.
  case reveal
  /// Writes null instead of sensitive values; the text no longer represents the archive.
  case redact
}
