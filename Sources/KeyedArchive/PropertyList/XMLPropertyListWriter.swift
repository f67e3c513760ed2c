import FoundationValues
import RestorationArchive

extension PropertyList {
  /// Returns the list as an XML property list.
  ///
  /// Containers that are shared are written for each place. The dates of XML have whole seconds: the second result says
  /// how many dates lost a fraction.
  ///
  /// - Throws: `not-expressible` for a null and a set, which XML does not have, for a text with a character that XML does not
  ///   allow, for a NaN other than the usual one, and for a dictionary that would be a UID;
  ///   `import-work` for a list that is much larger without sharing; `top-object`, `object-reference`, `key-type`,
  ///   `container-cycle`, `import-depth` for a list that cannot be a property list.
  /// - Complexity: O(n) in the size of the result.
  public func encodedXML() throws(KeyedArchiveError) -> (bytes: [UInt8], cutDates: Int) {
    let reached = try reachable()
    try reached.validateShape(ImportContext(ImportLimits(objects: .max, workPerByte: .max), byteCount: 2, .oddities))
    var writer = XMLPropertyListWriter(reached)
    return (try writer.write(), writer.cutDateCount)
  }
}

/// A writer of XML property lists; the depth of the list, which was checked, limits the recursion.
private struct XMLPropertyListWriter {
  private let list: PropertyList
  private var bytes: [UInt8] = []
  private let context: ImportContext
  /// The number of dates with a fraction of a second, which was left out.
  private(set) var cutDateCount = 0

  init(_ list: PropertyList) {
    self.list = list
    // In honest lists an object is written a few times at most.
    let size = list.objects.reduce(0) { $0 + 16 + ($1.contents?.count ?? 0) + $1.byteCount }
    context = ImportContext(.standard, byteCount: size)
  }

  mutating func write() throws(KeyedArchiveError) -> [UInt8] {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    line("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
    line("<plist version=\"1.0\">")
    try write(list.top, depth: 0)
    line("</plist>")
    return bytes
  }

  private mutating func line(_ text: String, depth: Int = 0) {
    bytes += [UInt8](repeating: UInt8(ascii: "\t"), count: depth)
    bytes += text.utf8
    bytes.append(0x0A)
  }

  private mutating func line(_ name: String, _ content: String, depth: Int) { line("<\(name)>\(content)</\(name)>", depth: depth) }

  private mutating func write(_ number: Int, depth: Int) throws(KeyedArchiveError) {
    try context.create(at: list.offset(of: number))
    try context.spend(depth + list[number].byteCount, at: list.offset(of: number))
    switch list[number] {
    case .null: throw KeyedArchiveError(.notExpressible, at: list.offset(of: number), "null", expected: "a value that XML lists have")
    case .set: throw KeyedArchiveError(.notExpressible, at: list.offset(of: number), "set", expected: "a value that XML lists have")
    case .bool(let value): line(value ? "<true/>" : "<false/>", depth: depth)
    case .integer(let value): line("integer", "\(value)", depth: depth)
    case .real(let value):
      // The text of another NaN is the same, or is read as none.
      guard !value.isNaN || value.bitPattern == Double.nan.bitPattern else {
        throw KeyedArchiveError(.notExpressible, at: list.offset(of: number), "real", expected: "a number, or the usual NaN")
      }
      line("real", "\(value)", depth: depth)
    case .date(let seconds): line("date", try dateText(seconds, number), depth: depth)
    case .data(let data): line("data", Data(data).base64EncodedString(), depth: depth)
    case .string(let text): line("string", try escaped(text, number), depth: depth)
    case .uid(let uid): line("<dict><key>CF$UID</key><integer>\(uid)</integer></dict>", depth: depth)
    case .array(let elements):
      line(elements.isEmpty ? "<array/>" : "<array>", depth: depth)
      for element in elements { try write(element, depth: depth + 1) }
      if !elements.isEmpty { line("</array>", depth: depth) }
    case .dictionary(let entries):
      if entries.count == 1, list.text(entries[0].key)?.isSameText(as: "CF$UID") == true,
        case .integer(let value) = list[entries[0].value], UInt32(exactly: value) != nil
      {
        let place = list.offset(of: number)
        throw KeyedArchiveError(.notExpressible, at: place, "dictionary", expected: "one that is no UID in an XML list")
      }
      line(entries.isEmpty ? "<dict/>" : "<dict>", depth: depth)
      for entry in entries {
        line("key", try escaped(list.text(entry.key) ?? "", entry.key), depth: depth + 1)
        try write(entry.value, depth: depth + 1)
      }
      if !entries.isEmpty { line("</dict>", depth: depth) }
    }
  }

  private mutating func dateText(_ seconds: Double, _ number: Int) throws(KeyedArchiveError) -> String {
    let whole = seconds.rounded(.down)
    // 2^31 years are fewer than 10^17 seconds.
    guard abs(whole) < 6e16 else {
      throw KeyedArchiveError(.notExpressible, at: list.offset(of: number), "date", expected: "one that a calendar has")
    }
    if whole != seconds { cutDateCount += 1 }
    return DateText.wholeSeconds(Int64(whole))
  }

  /// Returns a text as the content of an element; a scalar that XML 1.0 does not allow cannot be written as a reference either.
  private func escaped(_ text: String, _ number: Int) throws(KeyedArchiveError) -> String {
    var result: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;".utf8
      case "<": result += "&lt;".utf8
      case ">": result += "&gt;".utf8
      // A reader of XML takes a bare one for the end of a line.
      case "\r": result += "&#13;".utf8
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
        throw KeyedArchiveError(
          .notExpressible, at: list.offset(of: number), "string", expected: "characters that XML allows",
          found: "U+\(String(scalar.value, radix: 16, uppercase: true))")
      default: result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension PropertyList.Object {
  /// The number of bytes of text or data.
  fileprivate var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    default: 0
    }
  }
}
