#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// A reader of XML property lists.
///
/// It reads the elements of property lists and nothing else of XML: a document type is skipped and may have no
/// declarations, and of the entities only the five predefined ones and character references exist. So nothing can be
/// expanded or loaded. Containers are kept on a stack of its own, of limited depth.
struct XMLPropertyListReader {
  private var scanner: XMLScanner
  private var list = PropertyList()
  private var open: [Container] = []

  /// An open array or dictionary.
  private struct Container {
    let isDictionary: Bool
    let offset: Int
    var contents: [Int] = []
    /// The key whose value is expected next.
    var key: Int?
    var entries: [PropertyList.Entry] = []
  }

  init(_ bytes: [UInt8]) {
    scanner = XMLScanner(bytes)
  }

  /// Reads the list.
  mutating func read(_ budget: inout ImportBudget) throws(KeyedArchiveError) -> PropertyList {
    try budget.spend(scanner.byteCount, at: nil)
    try scanner.skipProlog()
    var tag = try scanner.readTag()
    let isWrapped = tag.name == "plist" && !tag.isEnd && !tag.isEmpty
    if isWrapped {
      try scanner.skipMisc()
      tag = try scanner.readTag()
    }
    var top: Int?
    while true {
      if let value = try read(tag, &budget) {
        guard var container = open.popLast() else {
          top = value
          break
        }
        try put(value, into: &container)
        open.append(container)
      }
      try scanner.skipMisc()
      tag = try scanner.readTag()
    }
    try scanner.skipMisc()
    if isWrapped {
      let end = try scanner.readTag()
      guard end.isEnd, end.name == "plist" else { throw scanner.error(at: end.offset, expected: "</plist>") }
      try scanner.skipMisc()
    }
    guard scanner.isAtEnd else { throw scanner.error(expected: "the end of the file") }
    list.top = top ?? 0
    try PropertyListShape(list).validate(&budget)
    return list
  }

  /// Handles a tag; returns the number of a value that it completes.
  private mutating func read(_ tag: XMLScanner.Tag, _ budget: inout ImportBudget) throws(KeyedArchiveError) -> Int? {
    if tag.isEnd { return try close(tag) }
    try budget.create(at: tag.offset)
    switch tag.name {
    case "array", "dict":
      guard open.count < budget.depth else {
        throw KeyedArchiveError(.depthLimit, at: tag.offset, "nesting", expected: "at most \(budget.depth) levels", found: "more")
      }
      let container = Container(isDictionary: tag.name == "dict", offset: tag.offset)
      if tag.isEmpty { return add(container) }
      open.append(container)
      return nil
    case "key":
      guard let last = open.indices.last, open[last].isDictionary, open[last].key == nil else {
        throw scanner.error(at: tag.offset, expected: "a value")
      }
      open[last].key = list.add(.string(try scanner.readContent(of: tag)), at: tag.offset)
      return nil
    default:
      return list.add(try scalar(tag), at: tag.offset)
    }
  }

  private mutating func close(_ tag: XMLScanner.Tag) throws(KeyedArchiveError) -> Int {
    guard let container = open.popLast(), tag.name == (container.isDictionary ? "dict" : "array"), container.key == nil else {
      throw scanner.error(at: tag.offset, expected: "a value or the end of the open element")
    }
    return add(container)
  }

  private mutating func add(_ container: Container) -> Int {
    guard container.isDictionary else { return list.add(.array(container.contents), at: container.offset) }
    if container.entries.count == 1, let entry = container.entries.first, list.text(entry.key) == "CF$UID",
      case .integer(let number) = list[entry.value], let uid = UInt32(exactly: number)
    {
      return list.add(.uid(uid), at: container.offset)
    }
    return list.add(.dictionary(container.entries), at: container.offset)
  }

  private func put(_ value: Int, into container: inout Container) throws(KeyedArchiveError) {
    guard container.isDictionary else { return container.contents.append(value) }
    guard let key = container.key else { throw scanner.error(at: list.offset(of: value), expected: "a key") }
    container.entries.append(PropertyList.Entry(key: key, value: value))
    container.key = nil
  }

  // MARK: Scalars

  private mutating func scalar(_ tag: XMLScanner.Tag) throws(KeyedArchiveError) -> PropertyList.Object {
    switch tag.name {
    case "true", "false":
      let text = try scanner.readContent(of: tag)
      guard text.utf8.allSatisfy(XMLScanner.isSpace) else { throw Self.valueError(tag, "no content") }
      return .bool(tag.name == "true")
    case "string": return .string(try scanner.readContent(of: tag))
    case "integer":
      guard let number = Self.integer(try scanner.readContent(of: tag)) else { throw Self.valueError(tag, "an integer") }
      return .integer(number)
    case "real":
      let text = Self.trimmed(try scanner.readContent(of: tag))
      guard !text.isEmpty, let number = Double(text) else { throw Self.valueError(tag, "a number") }
      return .real(number)
    case "date":
      let text = Self.trimmed(try scanner.readContent(of: tag))
      guard let date = DateText.date(of: Array(text.utf8)) else { throw Self.valueError(tag, "a date as YYYY-MM-DDTHH:MM:SSZ") }
      return .date(date.timeIntervalSinceReferenceDate)
    case "data":
      guard let data = Self.base64(try scanner.readContent(of: tag)) else { throw Self.valueError(tag, "base64") }
      return .data(data)
    default:
      throw scanner.error(at: tag.offset, expected: "an element of property lists")
    }
  }

  private static func valueError(_ tag: XMLScanner.Tag, _ expected: String) -> KeyedArchiveError {
    KeyedArchiveError(.xmlValue, at: tag.offset, tag.name, expected: expected)
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.utf8.drop(while: XMLScanner.isSpace)
    return String(decoding: rest.reversed().drop(while: XMLScanner.isSpace).reversed(), as: UTF8.self)
  }

  /// Parses decimal digits, or hexadecimal ones after `0x`, with an optional sign.
  private static func integer(_ text: String) -> Int128? {
    var digits = trimmed(text)[...]
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else { return nil }
    return Int128((isNegative ? "-" : "") + digits, radix: isHexadecimal ? 16 : 10)
  }

  /// Decodes base64 with white space anywhere.
  private static func base64(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count, padding) = (UInt32(0), 0, 0)
    for byte in text.utf8 where !XMLScanner.isSpace(byte) {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        padding += 1
        continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      guard count % 4 == 0 else { continue }
      bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits)]
      bits = 0
    }
    switch (count % 4, padding) {
    case (0, 0): break
    case (2, 2): bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case (3, 1): bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: return nil
    }
    return bytes
  }
}
