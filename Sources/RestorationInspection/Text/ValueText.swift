import FoundationValues
import KeyedArchive
package import RestorationArchive

/// Formats values as text lines: a scalar on one line, the elements of a container below it.
///
///     filter: dictionary of 2
///       flags: array of 2
///         1
///         2
///       text: "unread"
///
/// One formatter is for one listing: what it spends on a look into data is not there for the next data.
package struct ValueText {
  private let sensitive: SensitiveValues
  private let style: TextStyle
  /// The archive in which references are looked up, to mark broken ones; nil to mark none.
  private let archive: ArchiveReader?
  /// The resources for looking into data, in proportion to the archive; nil for those of each data.
  private let context: ImportContext?

  package init(sensitive: SensitiveValues = .redact, style: TextStyle = .plain, in archive: ArchiveReader? = nil) {
    self.sensitive = sensitive
    self.style = style
    self.archive = archive
    context = archive.map { ImportContext(.standard, byteCount: $0.byteCount) }
  }

  /// Calls `body` with each line of all entries, prefixed with `indentation`, and for a reference with its path.
  package func visitLines(of entries: ArchiveDictionary, indentation: String = "", _ body: (String, RestorationPath?) -> Void) {
    for entry in entries {
      let key = entry.key.isEmpty ? "\"\"" : entry.key.escapedForDisplay
      visitLines("\(style.bold(key)): ", entry.value, isSensitive: entry.isSensitive, indentation, body)
    }
  }

  /// Writes the value of an entry, as text lines or in the JSON form of archives (`Spec/json.md`).
  package func write(_ entry: ArchiveDictionary.Entry, asJSON: Bool, to output: inout some TextOutputStream) {
    guard asJSON else {
      return visitLines("", entry.value, isSensitive: entry.isSensitive, "") { line, _ in output.write(line + "\n") }
    }
    JSONTextWriter.write(to: &output) { writer in
      let isHidden = sensitive.hides(entry.isSensitive)
      if isHidden { writer.value(of: entry, sensitive: sensitive) } else { writer.value(entry.value, sensitive: sensitive) }
      writer.raw("\n")
    }
  }

  /// Returns the bytes of a data value, or the text of a string or URL; nil for other values.
  package static func rawBytes(of value: ArchiveValue) -> [UInt8]? {
    switch value {
    case .data(let data): [UInt8](data)
    case .string(let text), .url(let text): Array(text.utf8)
    default: nil
    }
  }

  // The format's limit of 128 nesting levels bounds the recursion.
  private func visitLines(
    _ label: String, _ value: ArchiveValue, isSensitive: Bool, _ indentation: String, _ body: (String, RestorationPath?) -> Void
  ) {
    if sensitive.hides(isSensitive) { return body("\(indentation)\(label)\(style.dim(SensitiveText.text(for: value)))", nil) }
    let mark = isSensitive ? style.dim(" (sensitive)") : ""
    switch value {
    case .array(let elements):
      body("\(indentation)\(label)\(style.dim("array of \(elements.count)"))\(mark)", nil)
      let below = indentation + "  "
      for element in elements { visitLines("", element, isSensitive: false, below, body) }
    case .dictionary(let entries):
      body("\(indentation)\(label)\(style.dim("dictionary of \(entries.count)"))\(mark)", nil)
      visitLines(of: entries, indentation: indentation + "  ", body)
    case .reference(let path):
      let broken = archive?.isBroken(path) == true ? style.alarming("  (broken reference)") : ""
      body("\(indentation)\(label)\(text(of: value))\(mark)\(broken)", path)
    default: body("\(indentation)\(label)\(text(of: value))\(mark)", nil)
    }
  }

  private func text(of value: ArchiveValue) -> String {
    guard case .data(let data) = value else { return value.displayText }
    let content = DataContent.words(of: data, context).map { " (\($0.escapedForDisplay))" } ?? ""
    let size = ArchiveOverview.counted(data.count, "byte")
    return data.isEmpty
      ? style.dim("no data")
      : "\(style.dim("data, \(size)\(content):")) \(HexText.text(of: data.prefix(16)))\(data.count > 16 ? " …" : "")"
  }
}

/// Placeholders for redacted values.
enum SensitiveText {
  /// The placeholder for a value without a length.
  static let other = "<sensitive>"

  /// Returns the placeholder for a value.
  ///
  /// Text, bytes and containers get a size class, which distinguishes a draft from an empty one.
  static func text(for value: ArchiveValue) -> String {
    switch value {
    case .string(let text): placeholder(text.utf8.count, "bytes of text")
    case .url(let text): placeholder(text.utf8.count, "bytes of url")
    case .data(let data): placeholder(data.count, "bytes")
    case .array(let elements): placeholder(elements.count, "elements")
    case .dictionary(let entries): placeholder(entries.count, "entries")
    default: other
    }
  }

  private static func placeholder(_ length: Int, _ unit: String) -> String {
    let limits = [16, 256, 4096, 65_536]
    guard length > 0 else { return "<sensitive, empty>" }
    guard let limit = limits.first(where: { length <= $0 }) else { return "<sensitive, over 65536 \(unit)>" }
    return "<sensitive, up to \(limit) \(unit)>"
  }
}

enum HexText {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(of bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a file offset with at least eight digits.
  static func offset(_ offset: Int) -> String { offset.text(width: 8, radix: 16) }
}
