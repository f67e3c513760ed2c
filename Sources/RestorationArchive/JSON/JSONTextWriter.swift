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
  /// Takes the text piece by piece, so that a long one need not be in memory as a whole; nil if it must.
  private let output: ((String) -> Void)?

  private init(_ output: ((String) -> Void)?) {
    self.output = output
  }

  /// Returns the text that `body` writes.
  package static func text(_ body: (inout JSONTextWriter) -> Void) -> String {
    String(decoding: bytes(body), as: UTF8.self)
  }

  /// Returns the text that `body` writes, as UTF-8.
  static func bytes(_ body: (inout JSONTextWriter) -> Void) -> [UInt8] {
    var writer = JSONTextWriter(nil)
    body(&writer)
    return writer.bytes
  }

  /// Writes the text that `body` writes to `output`, piece by piece.
  package static func write(to output: inout some TextOutputStream, _ body: (inout JSONTextWriter) -> Void) {
    func write(to output: (String) -> Void) {
      withoutActuallyEscaping(output) { output in
        var writer = JSONTextWriter(output)
        body(&writer)
        writer.flush(from: 0)
      }
    }
    write { output.write($0) }
  }

  /// Returns an object of the tool's JSON output, beginning with its format version.
  package static func inspection(_ body: (inout JSONTextWriter) -> Void) -> String {
    text { $0.inspection(body) }
  }

  /// Writes an object of the tool's JSON output, beginning with its format version.
  package static func inspection(to output: inout some TextOutputStream, _ body: (inout JSONTextWriter) -> Void) {
    write(to: &output) { $0.inspection(body) }
  }

  private mutating func inspection(_ body: (inout JSONTextWriter) -> Void) {
    object { writer in
      writer.member("_version") { $0.raw("1") }
      body(&writer)
    }
    raw("\n")
  }

  /// Hands the text to the output, if there are at least `count` bytes.
  private mutating func flush(from count: Int = 1 << 16) {
    guard let output, bytes.count >= count else { return }
    output(String(decoding: bytes, as: UTF8.self))
    bytes.removeAll(keepingCapacity: true)
  }

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

  /// Writes a member whose value is an array of objects; `body` writes the members of each.
  package mutating func member<Elements: Sequence>(
    _ key: String, objects elements: Elements, _ body: (inout JSONTextWriter, Elements.Element) -> Void
  ) {
    member(key) { $0.array(elements) { writer, element in writer.object { body(&$0, element) } } }
  }

  /// Writes a member whose value is an array; `body` calls a function for each element, with what writes it.
  package mutating func elements(of key: String, _ body: (_ add: ((inout JSONTextWriter) -> Void) -> Void) -> Void) {
    member(key) { $0.array { writer in body { writer.element($0) } } }
  }

  private mutating func beginLine() {
    flush()
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

  /// Writes a number.
  package mutating func number(_ number: some BinaryInteger) {
    raw("\(number)")
  }

  /// Writes a string with the escapes of rule R-J7-5.
  package mutating func string(_ text: String) {
    raw("\"")
    stringContent(text)
    raw("\"")
  }

  /// Writes part of a string; the caller writes the quotation marks.
  private mutating func stringContent(_ text: String) {
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
          raw("\\u" + scalar.value.text(width: 4, radix: 16))
        }
      }
    }
  }
}

extension JSONTextWriter {
  /// Writes the entries of a state or dictionary as an object.
  package mutating func entries(_ dictionary: ArchiveDictionary, sensitive: SensitiveValues) {
    object { writer in
      for entry in dictionary { writer.member(entry.key) { $0.value(of: entry, sensitive: sensitive) } }
    }
  }

  /// Writes the value of an entry, with its mark.
  package mutating func value(of entry: ArchiveDictionary.Entry, sensitive: SensitiveValues) {
    guard entry.isSensitive else { return value(entry.value, sensitive: sensitive) }
    tagged("$sensitive") { writer in
      if sensitive.hides(true) { writer.raw("null") } else { writer.value(entry.value, sensitive: sensitive) }
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

  private mutating func tagged(_ tag: String, _ body: (inout JSONTextWriter) -> Void) {
    object { $0.member(tag, body) }
  }

  /// Writes a provider reference.
  package mutating func provider(_ provider: ProviderReference) {
    object { writer in
      writer.member("identifier") { $0.string(provider.identifier) }
      writer.member("name") { $0.string(provider.name) }
    }
  }

  /// Writes a path as a string, in pieces, because a path can take a quarter of a megabyte.
  package mutating func path(_ path: RestorationPath) {
    raw("\"")
    for piece in path.pieces {
      stringContent(piece)
      flush()
    }
    raw("\"")
  }
}
