import RestorationArchive

/// A reader of old-style property lists and of tables of strings (`Spec/imports.md`, rule R-K2-7).
///
///     { name = "A note"; tags = (work, "to do"); icon = <0fbd77 1c27>; }
///     /* The title */ "title" = "Titel";
///
/// All scalars are strings or data. Containers are kept on a stack of its own, of limited depth.
struct OldStyleListReader {
  private let text: PropertyListText
  private let bytes: [UInt8]
  private let context: ImportContext
  private var position = 0
  private var list = PropertyList()
  private var open: [OpenContainer] = []

  init(_ file: [UInt8], _ context: ImportContext) {
    self.context = context
    text = PropertyListText(file)
    bytes = text.utf8
  }

  mutating func read() throws(KeyedArchiveError) -> PropertyList {
    try context.spend(bytes.count, at: nil)
    if let place = text.firstRepair {
      let fault = KeyedArchiveError(.illFormedText, at: text.place(of: place), "text", expected: "UTF-16 or UTF-32")
      try context.accept(fault, as: "what is no character is read as U+FFFD", isLoss: true)
    }
    position = PropertyListText.afterMark(bytes[...]).startIndex
    try skipSpace()
    if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") || next.map(Self.isWordPart) == true {
      open.append(OpenContainer(kind: .table, offset: text.place(of: position)))
    }
    var top: Int?
    do throws(KeyedArchiveError) {
      repeat {
        try skipSpace()
        top = try step()
      } while top == nil
      try skipSpace()
      guard position == bytes.count else { throw error(expected: "the end of the file") }
      if text.isCutOff { try context.accept(error(expected: "the end of the file"), as: "the rest is ignored") }
    } catch {
      guard top != nil || !open.isEmpty else { throw error }
      try context.lose(error, as: "the rest is lost")
      while var container = open.popLast() {
        // Without a key, a value is lost with the rest.
        if let top { _ = container.put(top) }
        top = list.add(container.object, at: container.offset)
      }
    }
    list.top = top ?? 0
    try list.validateShape(context)
    return list
  }

  // MARK: Structure

  /// Reads a value, a key, or the end of a container; returns the number of the outermost value once it is complete.
  private mutating func step() throws(KeyedArchiveError) -> Int? {
    guard let container = open.last else { return try value() }
    switch container.kind {
    case .array:
      if take(UInt8(ascii: ")")) { return try close() }
      return try value()
    case .dictionary, .table:
      if container.key != nil { return try value() }
      if container.kind == .dictionary ? take(UInt8(ascii: "}")) : position == bytes.count { return try close() }
      return try key()
    }
  }

  private mutating func close() throws(KeyedArchiveError) -> Int? {
    guard let container = open.popLast() else { return nil }
    return try put(try add(container.object, at: container.offset))
  }

  private mutating func add(_ object: PropertyList.Object, at offset: Int) throws(KeyedArchiveError) -> Int {
    try context.create(at: offset)
    return list.add(object, at: offset)
  }

  /// Reads a key, and the sign after it; a key without a value is its own value, as in tables of strings.
  private mutating func key() throws(KeyedArchiveError) -> Int? {
    let offset = text.place(of: position)
    let key = try add(.string(try string()), at: offset)
    open[open.count - 1].key = key
    try skipSpace()
    if take(UInt8(ascii: "=")) { return nil }
    guard next == UInt8(ascii: ";") else { throw error(expected: "= or ;") }
    return try put(key)
  }

  /// Begins a container, or reads a scalar.
  private mutating func value() throws(KeyedArchiveError) -> Int? {
    let offset = text.place(of: position)
    switch next {
    case UInt8(ascii: "("), UInt8(ascii: "{"):
      guard open.count < context.depth else { throw .depthLimit(context.depth, at: offset) }
      open.append(OpenContainer(kind: next == UInt8(ascii: "(") ? .array : .dictionary, offset: offset))
      position += 1
      return nil
    case UInt8(ascii: "<"): return try put(try add(.data(try data()), at: offset))
    default: return try put(try add(.string(try string()), at: offset))
    }
  }

  /// Puts a complete value into its container, and reads the sign after it; returns the value if it has none.
  private mutating func put(_ value: Int) throws(KeyedArchiveError) -> Int? {
    guard let last = open.indices.last else { return value }
    try skipSpace()
    guard open[last].put(value) else { return nil }
    if open[last].kind == .array {
      guard take(UInt8(ascii: ",")) || next == UInt8(ascii: ")") else { throw error(expected: ", or )") }
    } else {
      guard take(UInt8(ascii: ";")) else { throw error(expected: ";") }
    }
    return nil
  }

  // MARK: Scalars

  private mutating func data() throws(KeyedArchiveError) -> [UInt8] {
    position += 1
    var digits: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: ">") {
      if let digit = Self.hexadecimal(byte) {
        digits.append(digit)
      } else if !Self.isSpace(byte) {
        throw error(expected: "a hexadecimal digit")
      }
      position += 1
    }
    guard take(UInt8(ascii: ">")), digits.count.isMultiple(of: 2) else { throw error(expected: "pairs of hexadecimal digits and >") }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  private mutating func string() throws(KeyedArchiveError) -> String {
    let start = position
    guard let first = next else { throw error(expected: "a string") }
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return try quoted(first) }
    while let byte = next, Self.isWordPart(byte) { position += 1 }
    guard position > start else { throw error(expected: "a string") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Reads a string in quotation marks.
  private mutating func quoted(_ mark: UInt8) throws(KeyedArchiveError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    // The escapes in a row, as UTF-16 code units that may form pairs.
    var units: [UInt16] = []
    var isRepaired = false
    func flushed() -> [UInt8] {
      if String(validating: units, as: UTF16.self) == nil { isRepaired = true }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    }
    while let byte = next, byte != mark {
      if byte == UInt8(ascii: "\\") {
        if let unit = try escape(&isRepaired) { units.append(unit) }
      } else {
        if !units.isEmpty { content += flushed() }
        units = []
        content.append(byte)
        position += 1
      }
    }
    content += flushed()
    guard take(mark) else { throw error(expected: "the end of a string") }
    if isRepaired {
      try context.accept(
        KeyedArchiveError(.illFormedText, at: text.place(of: start), "string", expected: "escapes of characters"),
        as: "what is no character is read as U+FFFD", isLoss: true)
    }
    guard let string = String(validating: content, as: UTF8.self) else {
      throw KeyedArchiveError(.illFormedText, at: text.place(of: start), "string", expected: "UTF-8")
    }
    return string
  }

  /// Reads an escape; nil for a character beyond ASCII, of which only the escape sign is read.
  private mutating func escape(_ isRepaired: inout Bool) throws(KeyedArchiveError) -> UInt16? {
    position += 1
    guard let byte = next else { throw error(expected: "the end of a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "U"):
      let digits = bytes[position...].prefix(4).prefix { Self.hexadecimal($0) != nil }
      guard !digits.isEmpty else { throw error(expected: "a hexadecimal digit") }
      position += digits.count
      return digits.reduce(0) { $0 << 4 | UInt16(Self.hexadecimal($1) ?? 0) }
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      let digits = bytes[(position - 1)...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
      guard let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) else { throw error(expected: "at most 377, in octal") }
      position += digits.count - 1
      if number > 0xFD { isRepaired = true }
      return NextStepEncoding.unit(of: number)
    case 0x80...:
      position -= 1
      return nil
    default: return Self.controls.firstIndex(of: byte).map { 0x07 + UInt16($0) } ?? UInt16(byte)
    }
  }

  /// The letters whose escapes are the control characters from 0x07 to 0x0D.
  private static let controls = Array("abtnvfr".utf8)

  // MARK: Text

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private func error(expected: String) -> KeyedArchiveError {
    KeyedArchiveError(.listSyntax, at: text.place(of: position), "list", expected: expected)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { (0x09...0x0D).contains(byte) || byte == 0x20 }

  /// Whether a string without quotation marks can have a byte.
  private static func isWordPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-")...UInt8(ascii: ":"),
      UInt8(ascii: "_"), UInt8(ascii: "$"):
      true
    default: false
    }
  }

  /// Skips white space and comments.
  private mutating func skipSpace() throws(KeyedArchiveError) {
    while let byte = next {
      if Self.isSpace(byte) {
        position += 1
      } else if bytes[position...].starts(with: "//".utf8) {
        while let byte = next, byte != 0x0A, byte != 0x0D { position += 1 }
      } else if bytes[position...].starts(with: "/*".utf8) {
        position += 2
        while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) { position += 1 }
        guard position < bytes.count else { throw error(expected: "the end of a comment") }
        position += 2
      } else {
        return
      }
    }
  }

  // MARK: First bytes

  /// Returns whether a file begins as an old-style list or a table of strings does.
  ///
  /// JSON, programs and settings of others begin alike. So the first entry must have its `=`, and its `;` too if its key
  /// is a bare word outside braces, and the first element of an array its `,` or `)`. What is cut off by the number of
  /// bytes that are looked at counts as there.
  static func begins(_ bytes: [UInt8]) -> Bool {
    let head = Array(PropertyListText.head(of: bytes))
    // The text is UTF-8 here, without a mark.
    var reader = OldStyleListReader(head, ImportContext(.standard, byteCount: head.count))
    let isWhole = bytes.count <= PropertyListText.headByteCount
    if (try? reader.beginsList()) == true { return true }
    return !isWhole && !head.isEmpty && reader.position == reader.bytes.count
  }

  private mutating func beginsList() throws(KeyedArchiveError) -> Bool {
    try skipSpace()
    switch next {
    case UInt8(ascii: "("):
      position += 1
      try skipSpace()
      if take(UInt8(ascii: ")")) {
        try skipSpace()
        return next == nil
      }
      guard let first = next else { return false }
      if [UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<")].contains(first) { return true }
      _ = try string()
      try skipSpace()
      if take(UInt8(ascii: ",")) { return true }
      guard take(UInt8(ascii: ")")) else { return false }
      try skipSpace()
      return next == nil
    case UInt8(ascii: "<"):
      _ = try data()
      return true
    case UInt8(ascii: "{"):
      position += 1
      try skipSpace()
      return try beginsEntry(inBraces: true)
    default: return try beginsEntry(inBraces: false)
    }
  }

  private mutating func beginsEntry(inBraces: Bool) throws(KeyedArchiveError) -> Bool {
    let isQuoted = next == UInt8(ascii: "\"")
    _ = try string()
    try skipSpace()
    guard take(UInt8(ascii: "=")) else { return (isQuoted || inBraces) && next == UInt8(ascii: ";") }
    if isQuoted || inBraces { return true }
    try skipSpace()
    if let next, [UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<")].contains(next) { return true }
    _ = try string()
    try skipSpace()
    return next == UInt8(ascii: ";")
  }
}

/// The encoding of octal escapes above 127 in old-style lists.
private enum NextStepEncoding {
  /// The characters from 0x80 to 0xFD.
  private static let characters = Array(
    """
    \u{A0}ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ®–†‡·¦¶•‚„”»…‰¬¿¹ˋ´ˆ˜¯˘˙¨²˚¸³˝˛ˇ\
    —±¼½¾àáâãäåçèéêëìÆíªîïðñŁØŒºòóôõöæùúûıüýłøœßþÿ
    """.unicodeScalars)

  /// Returns the character of a byte, which has one code unit.
  static func unit(of byte: UInt8) -> UInt16 {
    guard byte >= 0x80 else { return UInt16(byte) }
    let index = Int(byte) - 0x80
    return index < characters.count ? UInt16(characters[index].value) : 0xFFFD
  }
}
