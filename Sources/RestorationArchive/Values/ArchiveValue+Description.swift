#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import ArchiveFormat

// Incidental output, such as an error with a dictionary in it, never shows an archived value. It never traps either:
// Foundation's description of a date traps for distant and non-finite dates, which an archive may contain. Every type
// that holds archived values therefore has its own description, and a mirror without the values.

extension ArchiveValue: CustomStringConvertible, CustomReflectable {
  /// The kind and size of the value, for logs and the debugger; the form may change.
  ///
  /// The value itself is omitted, so that printing any enclosing value reveals nothing. To get the value, match its
  /// case.
  public var description: String {
    switch self {
    case .null, .bool, .integer, .float, .date, .uuid: typeName
    case .string(let text): Self.description(typeName, text.utf8.count, "byte")
    case .url(let text): Self.description(typeName, text.utf8.count, "byte")
    case .data(let data): Self.description(typeName, data.count, "byte")
    case .array(let elements): Self.description(typeName, elements.count, "element")
    case .dictionary(let dictionary): Self.description(typeName, dictionary.count, "entry", "entries")
    // A path is a name, not user data.
    case .reference(let path): "-> \(path.description.escapedForDisplay)"
    }
  }

  private static func description(_ kind: String, _ count: Int, _ unit: String, _ units: String? = nil) -> String {
    "\(kind) of \(count) \(count == 1 ? unit : units ?? unit + "s")"
  }

  /// An empty mirror for the debugger.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }

  /// The value on one line, for tools that are asked to show it; data and containers show only their kind and size.
  package var displayText: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): value.description
    case .float(let value): "\(value)"
    case .string(let text): "\"\(text.escapedForDisplay)\""
    case .date(let date): Self.description(of: date)
    case .uuid(let uuid): uuid.uuidString.lowercased()
    case .url(let text): "<\(text.escapedForDisplay)>"
    case .data, .array, .dictionary, .reference: description
    }
  }

  /// Returns a date as text: in its JSON form, as "about" the nearest millisecond, or in seconds if it has no such
  /// form.
  package static func description(of date: Date) -> String {
    if let text = DateText.text(of: date) { return text }
    let seconds = date.timeIntervalSinceReferenceDate
    let rounded = Date(timeIntervalSinceReferenceDate: (seconds * 1000).rounded() / 1000)
    return DateText.text(of: rounded).map { "about \($0)" } ?? "date \(seconds)"
  }
}

extension ArchiveDictionary: CustomStringConvertible {
  /// The keys and kinds of the values on one line, for logs and the debugger.
  public var description: String {
    isEmpty ? "[:]" : "[\(map(\.description).joined(separator: ", "))]"
  }
}

extension ArchiveDictionary.Entry: CustomStringConvertible, CustomReflectable {
  /// The key and the kind of the value on one line, for logs and the debugger; a sensitive value shows not even its
  /// kind.
  public var description: String {
    "\(key.escapedForDisplay): \(isSensitive ? "<sensitive>" : value.description)"
  }

  /// An empty mirror for the debugger.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}
