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
