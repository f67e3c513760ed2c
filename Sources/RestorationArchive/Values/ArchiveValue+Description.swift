#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import ArchiveFormat

// Nothing that a program prints by the way, such as an error with a dictionary in it, shows an archived value. Nor does it trap: Foundation's
// description of a date does for dates that are far off or not a number, and an archive may hold such. So whatever holds a value of an
// archive describes itself, and mirrors itself without it.

extension ArchiveValue: CustomStringConvertible, CustomReflectable {
  /// What kind of value it is, and how much of it: for logs and the debugger; its form may change.
  ///
  /// The value itself is not in it, so that whatever is printed, with values somewhere within it, shows none. Ask for a value by its case.
  public var description: String {
    switch self {
    case .null, .bool, .integer, .float, .date, .uuid: typeName
    case .string(let text): Self.description(typeName, text.utf8.count, "byte")
    case .url(let text): Self.description(typeName, text.utf8.count, "byte")
    case .data(let data): Self.description(typeName, data.count, "byte")
    case .array(let elements): Self.description(typeName, elements.count, "element")
    case .dictionary(let dictionary): Self.description(typeName, dictionary.count, "entry", "entries")
    // A path is a name.
    case .reference(let path): "-> \(path.description.escapedForDisplay)"
    }
  }

  private static func description(_ kind: String, _ count: Int, _ unit: String, _ units: String? = nil) -> String {
    "\(kind) of \(count) \(count == 1 ? unit : units ?? unit + "s")"
  }

  /// The parts for the debugger: none.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }

  /// A value that is no container on one line, for tools that were asked for it.
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

  /// A date as text: as the JSON form has it, "about" that to the millisecond, or as seconds where it has no such form.
  package static func description(of date: Date) -> String {
    if let text = DateText.text(of: date) { return text }
    let seconds = date.timeIntervalSinceReferenceDate
    let rounded = Date(timeIntervalSinceReferenceDate: (seconds * 1000).rounded() / 1000)
    return DateText.text(of: rounded).map { "about \($0)" } ?? "date \(seconds)"
  }
}

extension ArchiveDictionary: CustomStringConvertible {
  /// The keys and the kinds of the values on one line, for logs and the debugger.
  public var description: String {
    isEmpty ? "[:]" : "[\(map(\.description).joined(separator: ", "))]"
  }
}

extension ArchiveDictionary.Entry: CustomStringConvertible, CustomReflectable {
  /// The key and the kind of the value on one line, for logs and the debugger; of a sensitive value not even that.
  public var description: String {
    "\(key.escapedForDisplay): \(isSensitive ? "<sensitive>" : value.description)"
  }

  /// The parts for the debugger: none.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}
