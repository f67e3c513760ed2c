import Foundation
public import RestorationArchive

/// Archives with markers in place of values, to detect values in output that should contain none.
public enum MarkedArchive {
  private static let text = "Zqxmark-hunter2"
  private static let number = 8_246_913_577
  private static let date = Date(timeIntervalSinceReferenceDate: 10_876_543_210.5)
  private static let uuid = UUID(uuidString: "8246ABCD-8246-8246-8246-ABCD82468246") ?? UUID()

  /// The forms of a marker in text, as text, digits, hexadecimal and Base64, in small letters.
  private static let signs = [
    "hunter2", "8246913", "2345-08-", "10876543210", "8246abcd", "5a 71 78 6d 61 72", "5a71786d6172", "wnf4bwfy", "1eb8c9da9",
  ]
  /// The signs by their first byte.
  private static let signsByStart = Dictionary(grouping: signs.map { Array($0.utf8) }) { $0[0] }

  /// Returns the tree with all values replaced by markers, except truth values, nulls and references; optionally all
  /// marked as sensitive.
  public static func marked(_ tree: ArchiveTree, isSensitive: Bool = false) -> ArchiveTree {
    var tree = tree
    tree.applicationState = marked(tree.applicationState, isSensitive)
    tree.nodes = tree.nodes.map { marked($0, isSensitive) }
    return tree
  }

  private static func marked(_ node: ArchiveNode, _ isSensitive: Bool) -> ArchiveNode {
    var node = node
    node.state = marked(node.state, isSensitive)
    node.children = node.children.map { marked($0, isSensitive) }
    return node
  }

  private static func marked(_ entries: ArchiveDictionary, _ isSensitive: Bool) -> ArchiveDictionary {
    ArchiveDictionary(
      entries.map { ArchiveDictionary.Entry(key: $0.key, value: marked($0.value, isSensitive), isSensitive: isSensitive || $0.isSensitive) }
    )
  }

  private static func marked(_ value: ArchiveValue, _ isSensitive: Bool) -> ArchiveValue {
    switch value {
    case .null, .bool, .reference: value
    case .integer(let value): .integer(ArchiveInteger(value.isNegative ? -number : number))
    case .float: .float(Double(number) + 0.25)
    case .string: .string(text)
    case .data: .data(Data(text.utf8))
    case .date: .date(date)
    case .uuid: .uuid(uuid)
    case .url: .url("https://example.org/\(text)")
    case .array(let elements): .array(elements.map { marked($0, false) })
    case .dictionary(let entries): .dictionary(marked(entries, false))
    }
  }

  /// Returns the marker that occurs in a text in any form, or nil.
  public static func sign(in text: String) -> String? {
    // One search of bytes for all signs, because one of text takes most of a minute for all dumps. The signs are ASCII.
    let bytes = text.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    let signs = (UInt8.min...UInt8.max).map { signsByStart[$0] ?? [] }
    for place in bytes.indices where !signs[Int(bytes[place])].isEmpty {
      let found = signs[Int(bytes[place])].first { bytes[place...].starts(with: $0) }
      if let found { return String(decoding: found, as: UTF8.self) }
    }
    return nil
  }

  /// Returns the texts that a program might print for a value; with `dumps`, also the dump of its contents.
  public static func texts(of value: Any, dumps: Bool = false) -> [String] {
    var texts = ["\(value)", String(reflecting: value)]
    if dumps {
      var dumped = ""
      dump(value, to: &dumped)
      texts.append(dumped)
    }
    return texts
  }
}
