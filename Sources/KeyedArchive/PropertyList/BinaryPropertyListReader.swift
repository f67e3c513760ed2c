import RestorationArchive

/// A reader of binary property lists.
///
///     62 70 6c 69 73 74 30 30  header: bplist00
///     d1 01 02                 object 0 at 0x8: a dictionary with one entry, key 1 and value 2
///     51 61                    object 1 at 0xb: the string "a"
///     10 07                    object 2 at 0xd: the integer 7
///     08 0b 0d                 offset table at 0xf: the offsets of the objects
///     00*6 01 01 00…03 00…00 00…0f
///                              trailer: sizes of an offset and of a reference, object count, top object, table offset
///
/// Everything that a number may say is compared with the file before it is used. Objects may overlap; what that costs
/// is limited by the context. No recursion: the depth is determined afterwards.
struct BinaryPropertyListReader {
  /// The bytes that every binary property list begins with; a version digit follows.
  static let magic = Array("bplist0".utf8)
  static let headerByteCount = 8
  static let trailerByteCount = 32

  private let bytes: [UInt8]
  private let context: ImportContext
  private(set) var trailer: BinaryPropertyListTrailer
  /// The fault in the trailer, even if the objects were found without the trailer.
  private(set) var trailerError: KeyedArchiveError?
  private var offsets: [Int] = []
  private var objects: [PropertyList.Object] = []
  /// The numbers of the objects that cannot be read.
  ///
  /// Their errors are found again when they are needed: a file may have such an object in every byte.
  private var faults: [Int] = []
  /// The offsets of the objects that were found without an offset table; nil if there is one.
  private var found: [Int]?
  /// Whether a reference leads nowhere, which is one to an additional object behind the last one.
  private var hasLostReferences = false

  /// Creates a reader, which reads the trailer of the file unless it is given.
  init(_ bytes: [UInt8], _ context: ImportContext, trailer: BinaryPropertyListTrailer = BinaryPropertyListTrailer()) {
    (self.bytes, self.context, self.trailer) = (bytes, context, trailer)
  }

  mutating func read() throws(KeyedArchiveError) -> PropertyList {
    try readTrailer()
    // The table was found to fit into the file, so that there are fewer objects than bytes.
    try context.create(trailer.objectCount, at: 0)
    objects.reserveCapacity(trailer.objectCount)
    offsets.reserveCapacity(trailer.objectCount)
    for number in 0..<trailer.objectCount {
      do throws(KeyedArchiveError) {
        let (object, content) = try object(at: offset(of: number))
        objects.append(object)
        offsets.append(content)
      } catch {
        guard context.tolerance != .strict, error.kind != .limit else { throw error }
        faults.append(number)
        objects.append(.null)
        offsets.append(error.offset ?? 0)
      }
    }
    if hasLostReferences { addLostObject() }
    if context.tolerance == .salvage { try breakCircles() }
    try acceptUnused()
    var list = PropertyList(objects: objects, offsets: offsets, top: trailer.topObject)
    // Otherwise nothing refers to an object that cannot be read.
    if context.tolerance == .salvage { list.lost = Set(faults).union(trailer.objectCount..<objects.count) }
    var isUnreadable = [Bool](repeating: false, count: objects.count)
    for number in faults { isUnreadable[number] = true }
    try list.validateShape(context, isUnreadable: isUnreadable)
    return list
  }

  /// Reads the trailer, or searches for the objects of a list that is salvaged.
  ///
  /// - Throws: The fault in the trailer, unless the list is salvaged and has objects.
  mutating func readTrailer() throws(KeyedArchiveError) {
    do throws(KeyedArchiveError) {
      trailer = try BinaryPropertyListTrailer(bytes)
    } catch {
      trailerError = error
      try context.lose(error, as: "the objects are found one after the other")
      let search = try BinaryObjectSearch(bytes, context)
      guard !search.offsets.isEmpty else { throw error }
      found = search.offsets
      // The objects extend to the end of the last one, and the first one contains the others.
      trailer = BinaryPropertyListTrailer(
        referenceSize: search.referenceSize, objectCount: search.offsets.count, tableOffset: search.end)
    }
  }

  /// Accepts objects that cannot be read if the top object does not reach them.
  private mutating func acceptUnused() throws(KeyedArchiveError) {
    guard !faults.isEmpty else { return }
    let places = objects.reached(from: trailer.topObject).places
    for number in faults {
      do throws(KeyedArchiveError) {
        _ = try object(at: offset(of: number))
      } catch {
        if places[number] >= 0 {
          // Without its outermost object nothing is left of a list.
          guard number != trailer.topObject else { throw error }
          try context.lose(error, as: "the object is lost")
        } else {
          guard error.kind != .limit else { throw error }
          try context.accept(error, as: "left out, because nothing refers to the object")
        }
      }
    }
  }

  /// Replaces each reference from a container to one that contains it.
  private mutating func breakCircles() throws(KeyedArchiveError) {
    let whole = objects
    // Each container is changed once, whatever number of references it loses.
    var lost: [Int: Set<Int>] = [:]
    try visitOutwards(whole.indices, count: whole.count, contents: { whole[$0].contents }) { _, _ throws(KeyedArchiveError) in
    } cycle: { container, place, _ throws(KeyedArchiveError) in
      try context.lose(.containerCycle(at: offsets[container]), as: "the object is lost")
      lost[container, default: []].insert(place)
    }
    if !lost.isEmpty, !hasLostReferences { addLostObject() }
    for (container, places) in lost {
      objects[container] = objects[container].replacingContents { places.contains($0) ? trailer.objectCount : $1 }
    }
  }

  /// Adds the object that references which lead nowhere refer to.
  private mutating func addLostObject() {
    hasLostReferences = true
    objects.append(.null)
    offsets.append(trailer.tableOffset)
  }

  // MARK: Objects

  func offset(of number: Int) throws(KeyedArchiveError) -> Int {
    if let found { return found[number] }
    let place = trailer.tableOffset + number * trailer.offsetSize
    let offset = Self.integer(bytes[place..<(place + trailer.offsetSize)])
    guard offset >= Self.headerByteCount, offset < trailer.tableOffset else {
      throw KeyedArchiveError(
        .objectOffset, at: place, "offset of object \(number)",
        expected: "\(Self.headerByteCount) to \(trailer.tableOffset - 1)", found: "\(offset)")
    }
    return Int(offset)
  }

  /// Reads an object, and returns it with the offset of its content: for data and text, the one after marker and count.
  mutating func object(at offset: Int) throws(KeyedArchiveError) -> (PropertyList.Object, content: Int) {
    let (count, content) = try extent(at: offset)
    let number = Self.integer(content.suffix(8))
    switch bytes[offset] {
    case 0x00: return (.null, offset)
    case 0x08, 0x09: return (.bool(bytes[offset] == 0x09), offset)
    // Unsigned up to four bytes, signed from eight.
    case 0x10...0x12: return (.integer(Int128(number)), offset)
    case 0x13: return (.integer(Int128(Int64(bitPattern: number))), offset)
    case 0x14: return (.integer(Int128(Int64(bitPattern: Self.integer(content.prefix(8)))) << 64 | Int128(number)), offset)
    case 0x22: return (.real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number)))), offset)
    case 0x23: return (.real(Double(bitPattern: number)), offset)
    case 0x33:
      let seconds = Double(bitPattern: number)
      guard !seconds.isNaN else { throw KeyedArchiveError(.dateNotANumber, at: offset + 1, "date", expected: "a number") }
      return (.date(seconds), offset)
    case 0x80...0x8F:
      guard let uid = UInt32(exactly: number), count <= 8 else {
        throw KeyedArchiveError(.uidRange, at: offset + 1, "uid", expected: "at most 4294967295")
      }
      return (.uid(uid), offset)
    case 0x40...0x6F:
      try context.spend(content.count, at: offset)
      return (try text(content, marker: bytes[offset]), content.startIndex)
    default:
      // The numbers take eight bytes each, however few the file has for one.
      try context.spend(8 * count * (bytes[offset] < 0xD0 ? 1 : 2), at: offset)
      return (try container(count, at: content.startIndex, marker: bytes[offset]), offset)
    }
  }

  /// Reads data or a string.
  private func text(_ content: ArraySlice<UInt8>, marker: UInt8) throws(KeyedArchiveError) -> PropertyList.Object {
    switch marker {
    case 0x40...0x4F: return .data(Array(content))
    case 0x50...0x5F:
      guard let place = content.firstIndex(where: { $0 > 0x7F }) else { return .string(String(decoding: content, as: UTF8.self)) }
      try context.accept(
        KeyedArchiveError(.illFormedText, at: place, "string", expected: "ASCII"), as: "read as Latin-1, one character for each byte")
      var text = String.UnicodeScalarView()
      text.append(contentsOf: content.lazy.map { Unicode.Scalar($0) })
      return .string(String(text))
    default:
      let start = content.startIndex
      let units = stride(from: start, to: content.endIndex, by: 2).lazy.map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      if let text = String(validating: units, as: UTF16.self) { return .string(text) }
      try context.accept(
        KeyedArchiveError(.illFormedText, at: start, "string", expected: "UTF-16"), as: "half of a surrogate pair is read as U+FFFD",
        isLoss: true)
      return .string(String(decoding: Array(units), as: UTF16.self))
    }
  }

  private mutating func container(_ count: Int, at start: Int, marker: UInt8) throws(KeyedArchiveError) -> PropertyList.Object {
    let numbers = try references(count, at: start)
    guard marker >= 0xD0 else { return marker < 0xB0 ? .array(numbers) : .set(numbers) }
    let values = try references(count, at: start + count * trailer.referenceSize)
    return .dictionary(zip(numbers, values).map { PropertyList.Entry(key: $0, value: $1) })
  }

  private mutating func references(_ count: Int, at start: Int) throws(KeyedArchiveError) -> [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    for index in 0..<count {
      let place = start + index * trailer.referenceSize
      let number = Self.integer(bytes[place..<(place + trailer.referenceSize)])
      if number < UInt64(trailer.objectCount) {
        numbers.append(Int(number))
      } else {
        let fault = KeyedArchiveError(
          .objectReference, at: place, "object reference", expected: "less than \(trailer.objectCount)", found: "\(number)")
        try context.lose(fault, as: "the object is lost")
        hasLostReferences = true
        numbers.append(trailer.objectCount)
      }
    }
    return numbers
  }

  // MARK: Numbers and bounds

  /// Returns the number of bytes, characters, elements or entries of an object, and its content behind the marker and the
  /// count.
  ///
  /// - Throws: `object-marker` for an unassigned marker, or for a count that is no integer; `object-length` for an object that
  ///   extends past the end of the objects.
  func extent(at offset: Int) throws(KeyedArchiveError) -> (count: Int, content: ArraySlice<UInt8>) {
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    var (count, start, width) = (0, offset + 1, 1)
    switch marker {
    case 0x00, 0x08, 0x09: break
    case 0x10...0x14: count = 1 << low
    case 0x22: count = 4
    case 0x23, 0x33: count = 8
    case 0x80...0x8F: count = low + 1
    case 0x40...0x6F, 0xA0...0xAF, 0xC0...0xDF:
      (count, start) = try self.count(at: offset)
      width = marker < 0x60 ? 1 : marker < 0x70 ? 2 : trailer.referenceSize * (marker < 0xD0 ? 1 : 2)
    default:
      throw KeyedArchiveError(.objectMarker, at: offset, "marker", expected: "an assigned one", found: "0x\(String(marker, radix: 16))")
    }
    return (count, try payload(start, count, width: width))
  }

  /// Reads the count in a marker, or in the integer object after it, and returns the offset after both.
  private func count(at offset: Int) throws(KeyedArchiveError) -> (Int, next: Int) {
    let low = Int(bytes[offset] & 0x0F)
    guard low == 0x0F else { return (low, offset + 1) }
    let marker = try payload(offset + 1, 1)[offset + 1]
    guard (0x10...0x13).contains(marker) else {
      throw KeyedArchiveError(.objectMarker, at: offset + 1, "count", expected: "an integer", found: "0x\(String(marker, radix: 16))")
    }
    let size = 1 << Int(marker & 0x0F)
    let count = Self.integer(try payload(offset + 2, size))
    // More than there are bytes is refused where the content is needed.
    return (Int(clamping: count), offset + 2 + size)
  }

  /// Returns the bytes of an object's content, which must lie before the offset table.
  private func payload(_ start: Int, _ count: Int, width: Int = 1) throws(KeyedArchiveError) -> ArraySlice<UInt8> {
    let rest = trailer.tableOffset - start
    let (length, isTooMuch) = count.multipliedReportingOverflow(by: width)
    guard !isTooMuch, length <= rest else {
      throw KeyedArchiveError(
        .objectLength, at: start, "length of an object", expected: "at most \(max(rest, 0)), which are left",
        found: isTooMuch ? "more" : "\(length)")
    }
    return bytes[start..<(start + length)]
  }

  /// Returns the big-endian integer in at most eight bytes; of more, the last eight.
  static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The trailer of a binary property list.
struct BinaryPropertyListTrailer {
  /// The size of an entry of the offset table, in bytes.
  var offsetSize = 1
  /// The size of a reference in a container, in bytes.
  var referenceSize = 1
  var objectCount = 0
  /// The number of the outermost object.
  var topObject = 0
  /// The offset of the offset table, which is also the end of the objects.
  var tableOffset = 0
}

extension BinaryPropertyListTrailer {
  /// Reads the trailer and compares it with the length of the file.
  init(_ bytes: [UInt8]) throws(KeyedArchiveError) {
    func error(_ code: KeyedArchiveError.Code, _ place: Int, _ subject: String, _ expected: String, _ found: UInt64) -> KeyedArchiveError {
      KeyedArchiveError(code, at: place, subject, expected: expected, found: "\(found)")
    }
    let headerAndTrailer = BinaryPropertyListReader.headerByteCount + BinaryPropertyListReader.trailerByteCount
    guard bytes.count > headerAndTrailer else {
      throw error(.tooShort, 0, "length", "at least \(headerAndTrailer + 1) bytes", UInt64(bytes.count))
    }
    let start = bytes.count - BinaryPropertyListReader.trailerByteCount
    func number(_ place: Int, _ size: Int) -> UInt64 { BinaryPropertyListReader.integer(bytes[(start + place)..<(start + place + size)]) }
    for (place, subject) in [(6, "size of an offset"), (7, "size of a reference")] where !(1...8).contains(number(place, 1)) {
      throw error(.integerWidth, start + place, subject, "1 to 8", number(place, 1))
    }
    offsetSize = Int(number(6, 1))
    referenceSize = Int(number(7, 1))
    let (count, top, table) = (number(8, 8), number(16, 8), number(24, 8))
    guard count >= 1 else { throw error(.objectCount, start + 8, "number of objects", "at least 1", count) }
    guard top < count else { throw error(.topObject, start + 16, "top object", "less than \(count)", top) }
    guard table > UInt64(BinaryPropertyListReader.headerByteCount), table < UInt64(start) else {
      throw error(.offsetTable, start + 24, "offset of the offset table", "9 to \(start - 1)", table)
    }
    let (length, isTooMuch) = count.multipliedReportingOverflow(by: UInt64(offsetSize))
    guard !isTooMuch, length == UInt64(start) - table else {
      throw error(
        .offsetTable, start + 8, "number of objects",
        "\((UInt64(start) - table) / UInt64(offsetSize)), for which the offset table has room", count)
    }
    guard Self.holds(count, in: referenceSize) else {
      throw error(.integerWidth, start + 7, "size of a reference", "enough for \(count) objects", UInt64(referenceSize))
    }
    guard Self.holds(table, in: offsetSize) else {
      throw error(.integerWidth, start + 6, "size of an offset", "enough for offset \(table)", UInt64(offsetSize))
    }
    objectCount = Int(count)
    topObject = Int(top)
    tableOffset = Int(table)
  }

  private static func holds(_ number: UInt64, in size: Int) -> Bool { size >= 8 || number < 1 << UInt64(8 * size) }
}
