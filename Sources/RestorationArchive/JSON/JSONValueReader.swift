import ArchiveFormat
import FoundationValues

// Values (section 6 of `Spec/json.md`).
extension JSONTreeReader {
  /// Returns the entries of an untagged object: a state, attributes, or the contents of a dictionary.
  func entries(of object: Int, role: EntryRole, depth: Int) throws(FormatError) -> ArchiveDictionary {
    var entries: [ArchiveDictionary.Entry] = []
    for member in members(of: object) {
      try check(member, role: role)
      if case .attributes = role {
        entries.append(ArchiveDictionary.Entry(key: member.key, value: try value(at: member.value, depth: depth)))
      } else {
        let inside = sensitiveValue(at: member.value)
        entries.append(
          ArchiveDictionary.Entry(key: member.key, value: try value(at: inside ?? member.value, depth: depth), isSensitive: inside != nil))
      }
    }
    return ArchiveDictionary(entries)
  }

  private func check(_ member: Member, role: EntryRole) throws(FormatError) {
    let offset = member.keyToken.start
    try FormatError.checkLength(member.key.utf8.count, FormatLimits.key, at: offset, "key length")
    if case .dictionary = role { return }
    guard !member.key.isEmpty else { throw FormatError(.emptyKey, at: offset, "key", expected: "at least one byte") }
    if case .attributes(strict: true) = role, !member.key.utf8.contains(UInt8(ascii: ".")) {
      throw FormatError(.unknownAttribute, at: offset, "attribute key", expected: "a key with a full stop")
    }
  }

  /// Returns the index of the value marked by `{"$sensitive": value}`, or nil if the object is something else.
  private func sensitiveValue(at place: Int) -> Int? {
    guard let tag = tag(at: place), tag.key == "$sensitive" else { return nil }
    return tag.value
  }

  /// Returns the only member of an object if its key begins with `$`; the key is empty if it is not a known name.
  private func tag(at place: Int) -> Member? {
    guard tokens[place].kind == .object, tokens[place].next > place + 1, tokens[place + 2].next == tokens[place].next else { return nil }
    let member = members(of: place)[0]
    guard member.key.beginsWith("$") else { return nil }
    return Member(key: member.key.asKnownName, keyToken: member.keyToken, value: member.value)
  }

  /// Returns the value at an index, nested in `depth` arrays and dictionaries.
  func value(at place: Int, depth: Int) throws(FormatError) -> ArchiveValue {
    switch tokens[place].kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .number: return try number(at: place)
    case .string, .escapedString: return .string(JSONStringDecoder.string(of: tokens[place], in: text))
    case .array:
      try ValueBudget(.standard).checkDepth(depth, at: start(place))
      var elements: [ArchiveValue] = []
      for element in self.elements(of: place) { elements.append(try value(at: element, depth: depth + 1)) }
      return .array(elements)
    case .object:
      if let tag = tag(at: place) { return try taggedValue(tag, object: place, depth: depth) }
      try ValueBudget(.standard).checkDepth(depth, at: start(place))
      return .dictionary(try entries(of: place, role: .dictionary, depth: depth + 1))
    }
  }

  // MARK: Tagged objects

  private func tagError(at offset: Int, expected: String, rule: StaticString? = nil) -> FormatError {
    FormatError(.jsonTag, at: offset, "tagged object", expected: .text(expected), rule: rule)
  }

  private func text(at place: Int, _ expected: String) throws(FormatError) -> String {
    guard isString(place) else { throw tagError(at: start(place), expected: expected) }
    return JSONStringDecoder.string(of: tokens[place], in: text)
  }

  private func taggedValue(_ tag: Member, object: Int, depth: Int) throws(FormatError) -> ArchiveValue {
    let place = tag.value
    switch tag.key {
    case "$data":
      guard let data = Base64.data(of: try text(at: place, "base64")) else { throw tagError(at: start(place), expected: "base64") }
      return .data(data)
    case "$date": return .date(try date(at: place))
    case "$uuid":
      let text = try self.text(at: place, "a uuid").asKnownName
      guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
        throw tagError(at: start(place), expected: "a uuid of 36 characters")
      }
      return .uuid(uuid)
    case "$url":
      let text = try self.text(at: place, "a url")
      guard !text.isEmpty else { throw .emptyURL(at: start(place)) }
      return .url(text)
    case "$reference": return .reference(try reference(at: place))
    case "$float": return .float(try float(at: place))
    case "$dictionary":
      guard tokens[place].kind == .object else { throw tagError(at: start(place), expected: "an object") }
      try ValueBudget(.standard).checkDepth(depth, at: start(object))
      return .dictionary(try entries(of: place, role: .dictionary, depth: depth + 1))
    case "$sensitive":
      throw tagError(at: tag.keyToken.start, expected: "$sensitive as the value of a key", rule: "R-J5-1")
    default:
      throw tagError(at: tag.keyToken.start, expected: "a tag that is known, or $dictionary around it")
    }
  }

  private func date(at place: Int) throws(FormatError) -> Date {
    switch tokens[place].kind {
    case .number:
      switch try number(at: place) {
      case .integer(let value):
        let seconds = value.isNegative ? Double(~Int64(bitPattern: value.bits)) : Double(value.bits)
        return Date(timeIntervalSinceReferenceDate: seconds)
      case .float(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
      default: break
      }
    case .string, .escapedString:
      guard let date = DateText.date(of: JSONStringDecoder.bytes(of: tokens[place], in: text)) else {
        throw tagError(at: start(place), expected: "a date as YYYY-MM-DDTHH:MM:SS.mmmZ", rule: "R-J6-5")
      }
      return date
    case .object:
      if let tag = tag(at: place), tag.key == "$float" { return Date(timeIntervalSinceReferenceDate: try float(at: tag.value)) }
    default: break
    }
    throw tagError(at: start(place), expected: "a date")
  }

  private func float(at place: Int) throws(FormatError) -> Double {
    let text = try self.text(at: place, "nan, inf, -inf or 0x and 16 digits").asKnownName
    switch text {
    case "nan": return Double(bitPattern: 0x7FF8_0000_0000_0000)
    case "inf": return .infinity
    case "-inf": return -.infinity
    default:
      // Sixteen digits, as of a digest (rule R-J6-3).
      guard text.hasPrefix("0x"), let bits = UInt64(digits: String(text.dropFirst(2))) else {
        throw tagError(at: start(place), expected: "nan, inf, -inf or 0x and 16 digits")
      }
      return Double(bitPattern: bits)
    }
  }

  private func reference(at place: Int) throws(FormatError) -> RestorationPath {
    guard tokens[place].kind == .array else { throw tagError(at: start(place), expected: "an array of identifiers") }
    let elements = self.elements(of: place)
    guard !elements.isEmpty else { throw .emptyReference(at: start(place)) }
    var components: [String] = []
    for element in elements {
      guard components.count < FormatLimits.pathComponents else {
        throw FormatError(
          .pathDepth, at: start(place), "reference", expected: "at most \(FormatLimits.pathComponents) components", rule: "R-6.1-7")
      }
      let component = try text(at: element, "an identifier")
      try FormatError.checkLength(component.utf8.count, FormatLimits.identifier, at: start(element), "identifier length")
      components.append(component)
    }
    return RestorationPath(validated: components)
  }
}

/// Base64 as defined in section 6.2 of `Spec/json.md`: padded, without white space, unused bits zero.
enum Base64 {
  /// Returns the bytes of a text, or nil if the text is not their canonical encoding.
  ///
  /// Foundation's decoder is more lenient.
  static func data(of text: String) -> Data? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    return data
  }
}

/// The numbers of the JSON form (rules R-J6-1 and R-J6-2 of `Spec/json.md`).
enum JSONNumber {
  /// Returns the value of a number: an integer if it has no fraction or exponent, otherwise a float64.
  ///
  /// The indexes of the slice are the offsets of its bytes in the text. Throws `json-number` if the number is out of
  /// range.
  static func value(of word: ArraySlice<UInt8>) throws(FormatError) -> ArchiveValue {
    let digits = String(decoding: word, as: UTF8.self)
    if word.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) {
      guard let value = Double(digits), value.isFinite else {
        throw FormatError(.jsonNumber, at: word.startIndex, "number", expected: "a finite float64", rule: "R-J6-2")
      }
      return .float(value)
    }
    if let value = Int64(digits) { return .integer(ArchiveInteger(value)) }
    if let value = UInt64(digits) { return .integer(ArchiveInteger(magnitudeBits: value)) }
    throw FormatError(.jsonNumber, at: word.startIndex, "number", expected: "-2^63 to 2^64-1")
  }

  /// Checks that a number is in range.
  static func checkRange(_ word: ArraySlice<UInt8>) throws(FormatError) {
    // Only a long number or one with an exponent can be out of range.
    if word.count > 18 || word.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { _ = try value(of: word) }
  }
}

/// The text of finite floating-point numbers in the JSON form (rule R-J7-2).
package enum FloatText {
  /// Returns the text of a finite number: the shortest digits that read back as the same bits, in the layout of the
  /// rule.
  ///
  /// Swift's description has the same digits, but its switch to exponents depends on the precision of the type.
  package static func text(of value: Double) -> String {
    let (digits, exponent) = decompose(value.magnitude.description)
    let sign = value.sign == .minus ? "-" : ""
    guard (-4..<16).contains(exponent) else {
      let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
      let places = String(exponent.magnitude)
      return "\(sign)\(digits.prefix(1))\(fraction)e\(exponent < 0 ? "-" : "+")\(places.count < 2 ? "0" : "")\(places)"
    }
    if exponent < 0 { return "\(sign)0.\(String(repeating: "0", count: -exponent - 1))\(digits)" }
    let whole = digits.prefix(exponent + 1)
    let zeros = String(repeating: "0", count: exponent + 1 - whole.count)
    let fraction = digits.dropFirst(exponent + 1)
    return "\(sign)\(whole)\(zeros).\(fraction.isEmpty ? "0" : fraction)"
  }

  /// Returns the significant digits of a description such as `0.00125` or `1.25e-7`, and the decimal exponent of the
  /// first digit.
  private static func decompose(_ description: String) -> (digits: String, exponent: Int) {
    let parts = description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + mantissa[0].count - 1
    let all = mantissa.joined()
    let leadingZeros = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leadingZeros))
    while digits.hasSuffix("0") { digits.removeLast() }
    if digits.isEmpty { return ("0", 0) }
    exponent -= leadingZeros
    return (digits, exponent)
  }
}
