import PropertyKit

/// A writer of property lists that uses everything the formats allow, and some of what they do not.
public struct OddListWriter {
  /// Something in a written list about which parsers disagree.
  public enum Feature: String, CaseIterable, Sendable {
    /// A key twice in a dictionary.
    case repeatedKey
    /// Base64 without padding.
    case noPadding
    /// Something behind the end.
    case behindEnd
    /// An attribute without a name or quotation marks.
    case oddAttribute
    /// A day or time that does not exist.
    case impossibleDate
    /// A year outside 1 to 9999.
    case farDate
    /// A sign or a base other than ten.
    case unusualInteger
    /// UTF-16 with a byte order mark.
    case utf16
    /// A comment or white space before everything.
    case beforeProlog
    /// Bytes above 127 under the marker of ASCII.
    case latin1
    /// Half of a surrogate pair.
    case loneSurrogate
    /// An object that cannot be read, and that nothing refers to.
    case unusedObject
    /// References or offsets of three, five, six or seven bytes.
    case unusualWidth
    /// A document type without a declaration before it.
    case documentTypeFirst
  }

  private var random: SeededGenerator
  /// What was used.
  public private(set) var features: Set<Feature> = []

  /// Creates a writer.
  public init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns the bytes of a list, and the list that they stand for: with all entries of a repeated key.
  public mutating func write(_ list: PlainPropertyList) -> (bytes: [UInt8], list: PlainPropertyList) {
    let list = changed(list)
    return random.oneIn(2) ? (xml(list), list) : binary(list)
  }

  /// Returns a feature with a small probability, and notes it.
  private mutating func use(_ feature: Feature, oneIn number: Int) -> Bool {
    guard random.oneIn(number) else { return false }
    features.insert(feature)
    return true
  }

  /// Repeats keys and changes dates, in some lists.
  private mutating func changed(_ list: PlainPropertyList) -> PlainPropertyList {
    switch list {
    case .array(let elements): return .array(elements.map { changed($0) })
    case .dictionary(var entries):
      entries = entries.map { PlainEntry(key: $0.key, value: changed($0.value)) }
      if !entries.isEmpty, use(.repeatedKey, oneIn: 30) { entries.append(PlainEntry(key: random.pick(entries).key, value: .bool(true))) }
      return .dictionary(entries)
    case .date where use(.farDate, oneIn: 20):
      return .date(random.pick([-63_114_076_800.0, -63_177_062_400, 252_423_993_600, 3_832_749_532_800]).bitPattern)
    default: return list
    }
  }

  // MARK: XML

  private mutating func xml(_ list: PlainPropertyList) -> [UInt8] {
    var text = ""
    let isUTF16 = use(.utf16, oneIn: 12)
    if !isUTF16, use(.beforeProlog, oneIn: 10) { text += random.pick(["<!-- c -->\n", "\u{FEFF}", " \n"]) }
    if text.isEmpty || text == "\u{FEFF}" {
      text += random.pick(["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "<?xml version='1.0'?>", ""])
    }
    if random.oneIn(3) {
      if !text.contains("<") { features.insert(.documentTypeFirst) }
      text += "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">"
    }
    text += "<plist version=\"1.0\">" + element(list) + space() + "</plist>\n"
    if use(.behindEnd, oneIn: 12) { text += random.pick(["\0", "junk", "<plist><true/></plist>"]) }
    guard isUTF16 else { return Array(text.utf8) }
    let isBigEndian = random.oneIn(2)
    return "\u{FEFF}\(text)".utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  private mutating func space() -> String { random.pick(["", "", "\n\t", " ", "<!-- a comment -->", "\r\n"]) }

  private mutating func tag(_ name: String) -> String {
    if use(.oddAttribute, oneIn: 60) { return "<\(name) \(random.pick(["=\"", "a", "a=b", "/ "]))>" }
    return random.oneIn(12) ? "<\(name) \(random.pick(["a=\"b\"", "a = 'b>'".replacing(">", with: ""), "\n"]))>" : "<\(name)>"
  }

  private mutating func element(_ value: PlainPropertyList) -> String {
    let before = space()
    switch value {
    case .bool(let value): return before + random.pick(["<\(value)/>", "<\(value)></\(value)>"])
    case .integer(let number): return before + tag("integer") + integer(number) + "</integer>"
    case .real(let bits): return before + tag("real") + "\(Double(bitPattern: bits))" + "</real>"
    case .date(let bits): return before + tag("date") + date(Double(bitPattern: bits)) + "</date>"
    case .data(let bytes): return before + tag("data") + base64(bytes) + "</data>"
    case .text(let bytes): return before + tag("string") + escaped(String(decoding: bytes, as: UTF8.self)) + "</string>"
    case .array(let elements):
      if elements.isEmpty, random.oneIn(2) { return before + "<array/>" }
      return before + tag("array") + elements.map { element($0) }.joined() + space() + "</array>"
    case .dictionary(let entries):
      let inner = entries.map { entry -> String in
        guard case .text(let key) = entry.key else { return "" }
        return space() + tag("key") + escaped(String(decoding: key, as: UTF8.self)) + "</key>" + element(entry.value)
      }
      return before + tag("dict") + inner.joined() + space() + "</dict>"
    case .null, .set, .uid: return ""
    }
  }

  private mutating func integer(_ number: Int128) -> String {
    guard use(.unusualInteger, oneIn: 8) else { return "\(number)" }
    let sign = number < 0 ? "-" : random.pick(["", "+"])
    return random.oneIn(2) ? "\(sign)0x\(String(number.magnitude, radix: 16))" : "\(sign)\(number.magnitude)"
  }

  private mutating func date(_ seconds: Double) -> String {
    let text = Self.dateText(Int(seconds))
    // The same moment in another way: an hour of the day before.
    guard text.contains("T00:"), !text.hasPrefix("-"), text.utf8.count == 20, text.hasSuffix("Z"), use(.impossibleDate, oneIn: 2) else {
      return text
    }
    return Self.dateText(Int(seconds) - 86_400).replacing("T00:", with: "T24:")
  }

  /// A date by counting days, which is slow and sure.
  static func dateText(_ seconds: Int) -> String {
    var days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
    let rest = seconds - days * 86_400
    // 400 years have 146,097 days.
    var year = 2001 + 400 * (days / 146_097)
    days %= 146_097
    func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    while days < 0 {
      year -= 1
      days += isLeap(year) ? 366 : 365
    }
    while days >= (isLeap(year) ? 366 : 365) {
      days -= isLeap(year) ? 366 : 365
      year += 1
    }
    let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var month = 0
    while days >= lengths[month] {
      days -= lengths[month]
      month += 1
    }
    func padded(_ number: Int, _ width: Int) -> String { String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)" }
    let date = "\(year < 0 ? "-" : "")\(padded(abs(year), 4))-\(padded(month + 1, 2))-\(padded(days + 1, 2))"
    return "\(date)T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
  }

  private mutating func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[$1]) : 0) }
      for place in 0...group.count { text.append(digits[bits >> (18 - 6 * place) & 63]) }
      if group.count < 3, !use(.noPadding, oneIn: 20) { text += String(repeating: "=", count: 3 - group.count) }
      if random.oneIn(20) { text += "\n\t" }
    }
    return text
  }

  private mutating func escaped(_ text: String) -> String {
    if random.oneIn(12), !text.contains("]]>"), !text.isEmpty { return "<![CDATA[\(text)]]>" }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case "&": result += random.pick(["&amp;", "&#38;", "&#x26;"])
      case ">": result += random.pick(["&gt;", ">"])
      case "\"": result += random.pick(["&quot;", "\""])
      default: result += random.oneIn(40) ? "&#x\(String(scalar.value, radix: 16));" : String(scalar)
      }
    }
    return result
  }

  // MARK: Binary

  private mutating func binary(_ list: PlainPropertyList) -> (bytes: [UInt8], list: PlainPropertyList) {
    var list = list
    var raw = RawPropertyList(list, referenceSize: random.pick([2, 2, 4, 8]))
    if use(.unusualWidth, oneIn: 10) {
      raw = RawPropertyList(list, referenceSize: random.pick([3, 5, 6, 7]), offsetSize: random.pick([3, 5, 6, 7]))
    }
    if use(.latin1, oneIn: 10), case .dictionary(let entries) = list {
      list = .dictionary(entries + [PlainEntry(key: .string("latin"), value: .string("aé"))])
      raw = Self.raw(list, raw, replacing: RawPropertyList(.string("aé")).objects[0], with: [0x52, 0x61, 0xE9])
    }
    if use(.loneSurrogate, oneIn: 10), case .dictionary(let entries) = list {
      list = .dictionary(entries + [PlainEntry(key: .string("half"), value: .string("a\u{FFFD}"))])
      raw = Self.raw(list, raw, replacing: RawPropertyList(.string("a\u{FFFD}")).objects[0], with: [0x62, 0, 0x61, 0xD8, 0x3D])
    }
    if use(.unusedObject, oneIn: 10) { raw.add([0xE0]) }
    return (raw.bytes, list)
  }

  private static func raw(
    _ list: PlainPropertyList, _ old: RawPropertyList, replacing object: [UInt8], with other: [UInt8]
  ) -> RawPropertyList {
    var raw = RawPropertyList(list, referenceSize: old.referenceSize, offsetSize: old.offsetSize)
    for index in raw.objects.indices where raw.objects[index] == object { raw.objects[index] = other }
    return raw
  }
}
