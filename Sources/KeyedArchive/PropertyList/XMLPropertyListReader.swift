import FoundationValues
import RestorationArchive

/// A reader of XML property lists.
///
/// It reads the elements of property lists and nothing else of XML: a document type is skipped and may have no
/// declarations, and of the entities only the five predefined ones and character references exist. So nothing can be
/// expanded or loaded. Containers are kept on a stack of its own, of limited depth.
struct XMLPropertyListReader {
  private var scanner: XMLScanner
  private let context: ImportContext
  private var list = PropertyList()
  private var open: [OpenContainer] = []

  init(_ bytes: [UInt8], _ context: ImportContext) { (scanner, self.context) = (XMLScanner(bytes, context), context) }

  mutating func read() throws(KeyedArchiveError) -> PropertyList {
    try context.spend(scanner.byteCount, at: nil)
    try scanner.skipProlog()
    var tag = try scanner.readTag()
    let isWrapped = tag.name == "plist" && !tag.isEnd && !tag.isEmpty
    if isWrapped {
      try scanner.skipMisc()
      tag = try scanner.readTag()
    }
    var top: Int?
    var isCutOff = false
    do throws(KeyedArchiveError) {
      top = try readValue(tag)
      if isWrapped {
        try scanner.skipMisc()
        let end = try scanner.readTag()
        guard end.isEnd, end.name == "plist" else { throw scanner.error(at: end.offset, expected: "</plist>") }
      }
    } catch {
      guard top != nil || !open.isEmpty else { throw error }
      isCutOff = true
      try context.lose(error, as: "the rest is lost")
      while var container = open.popLast() {
        // Without a key, a value is lost with the rest.
        if let top { _ = container.put(top) }
        top = add(container)
      }
    }
    if !isCutOff { try scanner.finish() }
    list.top = top ?? 0
    try list.validateShape(context)
    return list
  }

  private mutating func readValue(_ first: XMLScanner.Tag) throws(KeyedArchiveError) -> Int? {
    var tag = first
    while true {
      if let value = try read(tag) {
        guard let last = open.indices.last else { return value }
        guard open[last].put(value) else { throw scanner.error(at: list.offset(of: value), expected: "a key") }
      }
      try scanner.skipMisc()
      tag = try scanner.readTag()
    }
  }

  /// Handles a tag; returns the number of a value that it completes.
  private mutating func read(_ tag: XMLScanner.Tag) throws(KeyedArchiveError) -> Int? {
    if tag.isEnd { return try close(tag) }
    try context.create(at: tag.offset)
    switch tag.name {
    case "array", "dict":
      guard open.count < context.depth else { throw .depthLimit(context.depth, at: tag.offset) }
      let container = OpenContainer(kind: tag.name == "dict" ? .dictionary : .array, offset: tag.offset)
      if tag.isEmpty { return add(container) }
      open.append(container)
      return nil
    case "key":
      let text = list.add(.string(try scanner.readContent(of: tag)), at: tag.offset)
      guard let last = open.indices.last, open[last].kind == .dictionary, open[last].key == nil else {
        try context.accept(scanner.error(at: tag.offset, expected: "a value"), as: "the key is read as a string")
        return text
      }
      open[last].key = text
      return nil
    default:
      do throws(KeyedArchiveError) {
        return list.add(try scalar(tag), at: tag.offset)
      } catch {
        // The element was read to its end.
        guard error.code == .xmlValue else { throw error }
        try context.lose(error, as: "the object is lost")
        let number = list.add(.null, at: tag.offset)
        list.lost.insert(number)
        return number
      }
    }
  }

  private mutating func close(_ tag: XMLScanner.Tag) throws(KeyedArchiveError) -> Int {
    guard let container = open.last, tag.name == (container.kind == .array ? "array" : "dict"), container.key == nil else {
      throw scanner.error(at: tag.offset, expected: "a value or the end of the open element")
    }
    open.removeLast()
    return add(container)
  }

  private mutating func add(_ container: OpenContainer) -> Int {
    if case .dictionary(let entries) = container.object, entries.count == 1, list.text(entries[0].key)?.isSameText(as: "CF$UID") == true,
      case .integer(let number) = list[entries[0].value], let uid = UInt32(exactly: number)
    {
      return list.add(.uid(uid), at: container.offset)
    }
    return list.add(container.object, at: container.offset)
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
      if number.isInfinite, text.utf8.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
        try context.accept(Self.valueError(tag, "a number in range"), as: "read as infinity", isLoss: true)
      }
      return .real(number)
    case "date":
      let text = Self.trimmed(try scanner.readContent(of: tag))
      guard let date = XMLDate(text) else { throw Self.valueError(tag, "a date as YYYY-MM-DDTHH:MM:SSZ") }
      if !date.exists { try context.accept(Self.valueError(tag, "a day and a time of it"), as: "what is too much is carried over") }
      return .date(date.seconds)
    case "data": return .data(try data(tag))
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
    var digits = trimmed(text).utf8[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard let first = digits.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else { return nil }
    return Int128((isNegative ? "-" : "") + String(Substring(digits)), radix: isHexadecimal ? 16 : 10)
  }

  /// Reads base64 with white space anywhere.
  ///
  /// The text may also consist of several groups of characters, each with its own padding or without any.
  private mutating func data(_ tag: XMLScanner.Tag) throws(KeyedArchiveError) -> [UInt8] {
    let text = try scanner.readContent(of: tag).utf8.filter { !XMLScanner.isSpace($0) }
    let characters = text.filter(Self.isBase64)
    var rest = characters[...]
    var bytes: [UInt8] = []
    var (hasLeftover, lacksPadding, continues) = (false, false, false)
    while !rest.isEmpty {
      let group = rest.prefix { $0 != UInt8(ascii: "=") }
      let padding = rest.dropFirst(group.count).prefix { $0 == UInt8(ascii: "=") }.count
      rest = rest.dropFirst(group.count + padding)
      let missing = -group.count & 3
      if missing != 3, padding < missing { lacksPadding = true }
      if padding > missing || !rest.isEmpty { continues = true }
      // Zeros complete the last four characters, whatever the padding.
      let whole = Data(group) + Data(repeating: UInt8(ascii: "A"), count: missing)
      let decoded = Data(base64Encoded: whole) ?? Data()
      bytes += decoded.prefix(group.count * 6 / 8)
      if missing == 3 || decoded.dropFirst(group.count * 6 / 8).contains(where: { $0 != 0 }) { hasLeftover = true }
    }
    if characters.count < text.count {
      try context.accept(Self.valueError(tag, "base64"), as: "other characters are skipped", isLoss: true)
    }
    if hasLeftover { try context.accept(Self.valueError(tag, "base64"), as: "bits that are left over are dropped", isLoss: true) }
    if lacksPadding { try context.accept(Self.valueError(tag, "base64 with padding"), as: "read without it") }
    if continues { try context.accept(Self.valueError(tag, "base64 that ends at its padding"), as: "read to the end") }
    return bytes
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}

/// A date in an XML property list: `YYYY-MM-DDTHH:MM:SSZ`, with years before 0 and of any length.
private struct XMLDate {
  /// The seconds since 2001-01-01T00:00:00Z.
  let seconds: Double
  /// Whether there is such a day and time.
  ///
  /// If not, what is too much is carried over: a minute 60 is the next hour.
  let exists: Bool

  /// Parses a date; nil for anything else, and for months that do not exist.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    let digits = rest.prefix(while: Self.isDigit)
    // 2^31 years have ten digits.
    guard (1...10).contains(digits.count), let year = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
    rest = rest.dropFirst(digits.count)
    var numbers: [Int] = []
    for separator in ["-", "-", "T", ":", ":"] as [Unicode.Scalar] {
      guard rest.first == UInt8(ascii: separator), rest.count >= 3, rest.dropFirst().prefix(2).allSatisfy(Self.isDigit) else { return nil }
      numbers.append(Int(rest[rest.startIndex + 1] - 0x30) * 10 + Int(rest[rest.startIndex + 2] - 0x30))
      rest = rest.dropFirst(3)
    }
    guard rest.elementsEqual("Z".utf8), (1...12).contains(numbers[0]) else { return nil }
    let day = DateText.day(year: isNegative ? -year : year, month: numbers[0], day: numbers[1])
    seconds = Double(day) * 86_400 + Double(numbers[2] * 3600 + numbers[3] * 60 + numbers[4])
    let hasYear = digits.count >= (isNegative ? 3 : 4)
    let hasDay = DateText.dayOfMonth(day) == numbers[1]
    exists = hasYear && hasDay && numbers[2] <= 23 && numbers[3] <= 59 && numbers[4] <= 59
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
