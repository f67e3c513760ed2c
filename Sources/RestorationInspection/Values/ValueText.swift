#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import RestorationArchive

/// Shows values as lines of text: a scalar on one line, the parts of a container below it.
///
///     filter: dictionary of 2
///       flags: array of 2
///         1
///         2
///       text: "unread"
public struct ValueText: Sendable {
  private let sensitive: SensitiveValues
  private let style: TextStyle

  /// Makes a view of values that shows or hides sensitive ones.
  public init(sensitive: SensitiveValues = .redact, style: TextStyle = .plain) {
    self.sensitive = sensitive
    self.style = style
  }

  /// The lines of all entries, each with `indentation` in front of it.
  public func lines(of entries: ArchiveDictionary, indentation: String = "") -> [String] {
    var lines: [String] = []
    append(entries, indentation, to: &lines)
    return lines
  }

  /// The value of one entry, as lines or in the JSON form of archives (`Spec/json.md`).
  public func text(of entry: ArchiveDictionary.Entry, asJSON: Bool) -> String {
    guard asJSON else {
      var lines: [String] = []
      append("", entry.value, isSensitive: entry.isSensitive, "", to: &lines)
      return lines.map { $0 + "\n" }.joined()
    }
    var writer = JSONTextWriter()
    if entry.isSensitive, sensitive == .redact { writer.raw("null") } else { writer.value(entry.value, sensitive: sensitive) }
    writer.raw("\n")
    return writer.takeText()
  }

  /// The bytes of a data value, or the text of a string or url; nil for others.
  public static func rawBytes(of value: ArchiveValue) -> [UInt8]? {
    switch value {
    case .data(let data): [UInt8](data)
    case .string(let text), .url(let text): Array(text.utf8)
    default: nil
    }
  }

  private func append(_ entries: ArchiveDictionary, _ indentation: String, to lines: inout [String]) {
    for entry in entries {
      let key = entry.key.isEmpty ? "\"\"" : entry.key.escapedForDisplay
      append("\(style.bold(key)): ", entry.value, isSensitive: entry.isSensitive, indentation, to: &lines)
    }
  }

  // The format's limit of 128 levels bounds the recursion.
  private func append(_ label: String, _ value: ArchiveValue, isSensitive: Bool, _ indentation: String, to lines: inout [String]) {
    if isSensitive, sensitive == .redact {
      lines.append("\(indentation)\(label)\(style.dim(SensitiveText.text(for: value)))")
      return
    }
    let mark = isSensitive ? style.dim(" (sensitive)") : ""
    switch value {
    case .array(let elements):
      lines.append("\(indentation)\(label)\(style.dim("array of \(elements.count)"))\(mark)")
      for element in elements { append("", element, isSensitive: false, indentation + "  ", to: &lines) }
    case .dictionary(let entries):
      lines.append("\(indentation)\(label)\(style.dim("dictionary of \(entries.count)"))\(mark)")
      append(entries, indentation + "  ", to: &lines)
    default:
      lines.append("\(indentation)\(label)\(text(of: value))\(mark)")
    }
  }

  private func text(of value: ArchiveValue) -> String {
    guard case .data(let data) = value else { return value.description }
    let count = data.count == 1 ? "1 byte" : "\(data.count) bytes"
    return data.isEmpty
      ? style.dim("no data") : "\(style.dim("data, \(count):")) \(HexText.text(of: data.prefix(16)))\(data.count > 16 ? " …" : "")"
  }
}
