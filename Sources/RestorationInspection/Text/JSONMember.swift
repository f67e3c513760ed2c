import FoundationValues
package import RestorationArchive

/// A value that the tool's JSON output has under a key.
package protocol JSONMember {
  func write(to writer: inout JSONTextWriter)
}

extension JSONTextWriter {
  /// Writes members of the open object in their order, except nil ones.
  package mutating func members(_ members: KeyValuePairs<String, (any JSONMember)?>) {
    for (key, value) in members {
      if let value { member(key) { value.write(to: &$0) } }
    }
  }
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
    writer.object { writer in
      writer.members([
        "code": code.rawValue, "expected": expected.isEmpty ? nil : expected, "found": found.isEmpty ? nil : found, "key": key,
        "kind": kind.rawValue, "offset": offset, "path": path, "rule": rule, "subject": subject,
      ])
    }
  }
}
