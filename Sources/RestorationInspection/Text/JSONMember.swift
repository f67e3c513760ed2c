import FoundationValues
package import RestorationArchive

/// A value that the tool's JSON output has under a key.
package protocol JSONMember {
  func write(to writer: inout JSONTextWriter)
}

/// The members of an object in the order of their keys; nil ones are left out.
package typealias JSONMembers = KeyValuePairs<String, (any JSONMember)?>

extension JSONTextWriter {
  /// Writes members of the open object.
  package mutating func members(_ members: JSONMembers) {
    for (key, value) in members {
      if let value { member(key) { value.write(to: &$0) } }
    }
  }

  /// Writes an object.
  mutating func object(_ members: JSONMembers) { object { $0.members(members) } }

  /// Returns an object of the tool's JSON output, beginning with its format version.
  package static func inspection(_ members: JSONMembers) -> String { inspection { $0.members(members) } }
}

extension KeyValuePairs: JSONMember where Key == String, Value == (any JSONMember)? {
  package func write(to writer: inout JSONTextWriter) { writer.object(self) }
}

/// A list of objects, each of which is made when it is written.
struct JSONList<Elements: Sequence>: JSONMember {
  private let elements: Elements
  private let members: (Elements.Element) -> JSONMembers

  init(_ elements: Elements, _ members: @escaping (Elements.Element) -> JSONMembers) {
    (self.elements, self.members) = (elements, members)
  }

  func write(to writer: inout JSONTextWriter) { writer.array(elements) { members($1).write(to: &$0) } }
}

/// The entries of a header, of attributes or of a state.
struct JSONEntries: JSONMember {
  let entries: ArchiveDictionary
  let sensitive: SensitiveValues

  func write(to writer: inout JSONTextWriter) { writer.entries(entries, sensitive: sensitive) }
}

extension ProviderReference: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.provider(self) }
}

extension JSONMember where Self: BinaryInteger {
  package func write(to writer: inout JSONTextWriter) { writer.number(self) }
}

extension Int: JSONMember {}
extension UInt32: JSONMember {}
extension UInt64: JSONMember {}

extension Bool: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.raw("\(self)") }
}

extension String: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.string(self) }
}

extension Date: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.date(self) }
}

extension RestorationPath: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.path(self) }
}

extension Array: JSONMember where Element: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.array(self) { $1.write(to: &$0) } }
}

extension ArchiveError: JSONMember {
  package func write(to writer: inout JSONTextWriter) {
    writer.object([
      "code": code.rawValue, "expected": expected.isEmpty ? nil : expected, "found": found.isEmpty ? nil : found, "key": key,
      "kind": kind.rawValue, "offset": offset, "path": path, "rule": rule, "subject": subject,
    ])
  }
}
