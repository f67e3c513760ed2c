#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// Foundation's description of a date traps for dates that are far off or not a number, and an archive may hold such. So whatever holds a
// date of an archive describes itself, and mirrors itself without it: printing what a file contains must be safe.

extension ArchiveValue: CustomStringConvertible, CustomReflectable {
  /// The value on one line, for logs and the debugger; its form may change.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): value.description
    case .float(let value): "\(value)"
    case .string(let text): "\"\(text.escapedForDisplay)\""
    case .data(let data): "data of \(data.count) bytes"
    case .date(let date): Self.description(of: date)
    case .uuid(let uuid): uuid.uuidString.lowercased()
    case .url(let text): "<\(text.escapedForDisplay)>"
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .dictionary(let dictionary): dictionary.description
    case .reference(let path): "-> \(path.description.escapedForDisplay)"
    }
  }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }

  /// A date as text: as the JSON form has it, or as seconds.
  package static func description(of date: Date) -> String {
    DateText.text(of: date) ?? "date \(date.timeIntervalSinceReferenceDate)"
  }
}

extension ArchiveDictionary: CustomStringConvertible {
  /// The entries on one line, for logs and the debugger; sensitive values are left out.
  public var description: String {
    isEmpty ? "[:]" : "[\(map(\.description).joined(separator: ", "))]"
  }
}

extension ArchiveDictionary.Entry: CustomStringConvertible, CustomReflectable {
  /// Key and value on one line, for logs and the debugger; a sensitive value is left out.
  public var description: String {
    "\(key.escapedForDisplay): \(isSensitive ? "<sensitive>" : value.description)"
  }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}

extension ArchiveHeader: CustomStringConvertible, CustomReflectable {
  /// The entries on one line, for logs and the debugger.
  public var description: String { entries.description }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: entries.map { (label: $0.key, value: $0.value) })
  }
}

extension ArchiveOrigin: CustomStringConvertible, CustomReflectable {
  /// Build, time and sessions on one line, for logs and the debugger.
  public var description: String {
    let version = bundleVersion.map { "build \($0.escapedForDisplay)" } ?? "an unknown build"
    let time = timestamp.map { " at \(ArchiveValue.description(of: $0))" } ?? ""
    return "\(version)\(time), carried for \(sessionsCarried) sessions"
  }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}
