import RestorationArchive

/// The value that people look for in an object of a well-known class, instead of the fields that keyed coding gives it
/// (`Spec/imports.md`, rule R-K3-4).
struct ReadableObject {
  let fields: [KeyedField]
  let archive: KeyedArchive

  /// Returns the value of an object of a class; nil if the class is not known, or its fields are others than expected.
  func value(ofClass name: String) -> ArchiveValue? {
    switch name.asKnownName {
    case "NSAttributedString", "NSMutableAttributedString", "NSConcreteAttributedString", "NSConcreteMutableAttributedString":
      string("NSString").map { .string($0) }
    case "NSColor", "UIColor", "UIDeviceRGBColor", "UICachedDeviceRGBColor", "UIDeviceWhiteColor", "UICachedDeviceWhiteColor":
      color.map { .string($0) }
    case "NSFont": font(name: "NSName", size: "NSSize")
    case "UIFont", "UICTFont": font(name: "UIFontName", size: "UIFontPointSize") ?? font(name: "NSName", size: "NSSize")
    case "NSIndexSet", "NSMutableIndexSet": indexes.map { .string($0) }
    case "NSNumber": number
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder": decimal.map { .string($0) }
    case "NSValue", "NSConcreteValue": structure
    case "NSTimeZone": string("NS.name").map { .string($0) }
    case "NSLocale", "NSCalendar": string("NS.identifier").map { .string($0) }
    default: nil
    }
  }

  // MARK: Fields

  private func string(_ key: String) -> String? { archive.string(fields[key]) }
  private func integer(_ key: String) -> Int128? { archive.integer(fields[key]) }

  private func real(_ key: String) -> Double? {
    switch fields[key].map(archive.resolve) {
    case .bare(.real(let value)): value
    case .bare(.integer(let value)): Double(value)
    default: nil
    }
  }

  /// Returns the numbers in a data field with ASCII text.
  private func numbers(_ key: String) -> [Double]? {
    guard let bytes = archive.data(fields[key]), bytes.count <= 1000 else { return nil }
    let numbers = bytes.split { $0 == 0x20 || $0 == 0 }.map { Double(String(decoding: $0, as: UTF8.self)) }
    let known = numbers.compactMap { $0 }
    return known.count == numbers.count && !known.isEmpty ? known : nil
  }

  // MARK: Classes

  private var color: String? {
    if let name = string("NSColorName") { return "color \(string("NSCatalogName").map { "\($0) " } ?? "")\(name)" }
    if let red = real("UIRed"), let green = real("UIGreen"), let blue = real("UIBlue") {
      return Self.color("rgb", [red, green, blue, real("UIAlpha") ?? 1], 3)
    }
    if let white = real("UIWhite") { return Self.color("white", [white, real("UIAlpha") ?? 1], 1) }
    if let rgb = numbers("NSRGB") { return Self.color("rgb", rgb, 3) }
    if let white = numbers("NSWhite") { return Self.color("white", white, 1) }
    return numbers("NSCMYK").flatMap { Self.color("cmyk", $0, 4) }
  }

  private static func color(_ space: String, _ numbers: [Double], _ count: Int) -> String? {
    guard numbers.count == count || numbers.count == count + 1 else { return nil }
    let alpha = numbers.count > count && numbers[count] != 1 ? " alpha \(numbers[count])" : ""
    return "\(space)(\(numbers.prefix(count).map { "\($0)" }.joined(separator: ", ")))\(alpha)"
  }

  private func font(name: String, size: String) -> ArchiveValue? {
    guard let name = string(name), let size = real(size) else { return nil }
    return .string("\(name) \(size)")
  }

  /// The ranges of an index set, such as `1-3, 9`.
  private var indexes: String? {
    guard let count = integer("NSRangeCount") else { return nil }
    if count == 0 { return "" }
    let numbers: [UInt64]
    if count == 1, let location = integer("NSLocation"), let length = integer("NSLength") {
      numbers = [location, length].compactMap { UInt64(exactly: $0) }
    } else {
      numbers = archive.data(fields["NSRangeData"]).flatMap(Self.compressed) ?? []
    }
    let ranges = stride(from: 1, to: numbers.count, by: 2).map { (first: Int128(numbers[$0 - 1]), length: Int128(numbers[$0])) }
    guard numbers.count.isMultiple(of: 2), count == ranges.count, ranges.allSatisfy({ $0.length > 0 }) else { return nil }
    return ranges.map { $0.length == 1 ? "\($0.first)" : "\($0.first)-\($0.first + $0.length - 1)" }.joined(separator: ", ")
  }

  /// Returns numbers in groups of seven bits, the lowest first, each with its eighth bit set if another one follows.
  private static func compressed(_ bytes: [UInt8]) -> [UInt64]? {
    var numbers: [UInt64] = []
    var (number, shift) = (UInt64(0), UInt64(0))
    for byte in bytes {
      guard shift < 63 || shift == 63 && byte & 0x7F <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 {
        numbers.append(number)
        (number, shift) = (0, 0)
      }
    }
    return shift == 0 ? numbers : nil
  }

  private var number: ArchiveValue? {
    if let flag = archive.bool(fields["NS.boolval"]) { return .bool(flag) }
    if let number = integer("NS.intval").flatMap({ ArchiveInteger(exactly: $0) }) { return .integer(number) }
    return real("NS.dblval").map { .float($0) }
  }

  private var decimal: String? {
    guard let bytes = archive.data(fields["NS.mantissa"]), bytes.count <= 16, bytes.count.isMultiple(of: 2),
      let length = integer("NS.length"), (0...8).contains(length), let exponent = integer("NS.exponent"), (-128...127).contains(exponent)
    else { return nil }
    let isNegative = archive.bool(fields["NS.negative"]) ?? false
    guard length > 0 else { return isNegative ? "NaN" : "0" }
    let isBigEndian = integer("NS.mantissa.bo") == 2
    var mantissa = UInt128(0)
    for index in stride(from: 0, to: min(2 * Int(length), bytes.count), by: 2).reversed() {
      let word = isBigEndian ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
      mantissa = mantissa << 16 | UInt128(word.0) << 8 | UInt128(word.1)
    }
    var digits = String(mantissa)
    if exponent > 0 { digits += String(repeating: "0", count: Int(exponent)) }
    if exponent < 0 {
      let places = Int(-exponent)
      if digits.count <= places { digits = String(repeating: "0", count: places + 1 - digits.count) + digits }
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -places))
    }
    return (isNegative ? "-" : "") + digits
  }

  private var structure: ArchiveValue? {
    for key in ["NS.pointval", "NS.sizeval", "NS.rectval"] {
      if let text = string(key) { return .string(text) }
    }
    guard let location = integer("NS.rangeval.location").flatMap({ ArchiveInteger(exactly: $0) }),
      let length = integer("NS.rangeval.length").flatMap({ ArchiveInteger(exactly: $0) })
    else { return nil }
    return .array([.integer(location), .integer(length)])
  }
}
