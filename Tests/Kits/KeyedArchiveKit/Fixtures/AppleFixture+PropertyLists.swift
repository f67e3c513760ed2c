extension AppleFixture {
  static let propertyLists: [AppleFixture] = validLists + widths + oddLists + invalidTrailers + invalidObjects + hostileLists

  private static func list(_ objects: [[UInt8]], _ change: (inout RawPropertyList) -> Void = { _ in }) -> [UInt8] {
    var list = RawPropertyList()
    for object in objects { list.add(object) }
    change(&list)
    return list.bytes
  }

  /// Every kind of object, as the elements of an array.
  private static let kinds: [[UInt8]] = [
    [0x00], [0x08], [0x09], [0x10, 0xFF], [0x11, 0xFF, 0xFE], [0x12, 0x80, 0, 0, 1], [0x13] + RawPropertyList.integer(.max, 8),
    [0x14] + RawPropertyList.integer(0, 8) + RawPropertyList.integer(.max, 8),
    [0x14] + RawPropertyList.integer(.max, 8) + RawPropertyList.integer(.max - 1, 8), [0x22, 0x3F, 0xC0, 0, 0],
    [0x23] + RawPropertyList.integer(Double(-0.25).bitPattern, 8), [0x33] + RawPropertyList.integer(Double(86400.5).bitPattern, 8),
    [0x43, 1, 2, 3], RawPropertyList.ascii("plain"), [0x62, 0x00, 0xE9, 0x20, 0xAC], [0x61, 0x20, 0xAC], [0x80, 7], [0x81, 1, 0],
    [0xA1, 3], [0xC2, 3, 4], [0xD1, 13, 3],
  ]

  private static let validLists: [AppleFixture] = [
    valid(
      "property-lists/valid/all-kinds",
      list(kinds + [RawPropertyList(referenceSize: 1).array(Array(0..<21))]) { $0.top = 21 }, "property-list",
      "every kind of object; integers of four bytes have no sign, of eight have one, of sixteen are 128-bit"),
    valid(
      "property-lists/valid/integer-of-128-bits",
      list([[0xA1, 1], [0x14] + RawPropertyList.integer(1, 8) + RawPropertyList.integer(0, 8)]), "property-list",
      "2^64, which is no integer of ours, is kept as its digits"),
    valid(
      "property-lists/valid/other-version-digit", list([[0x09]]) { $0.header = Array("bplist01".utf8) }, "property-list",
      "seven bytes decide"),
    valid(
      "property-lists/valid/shared-objects", list([[0xA3, 1, 1, 2], RawPropertyList.ascii("twice"), [0xA2, 1, 1]]), "property-list",
      "objects are referred to several times"),
    valid(
      "property-lists/valid/overlapping-objects", list([[0xA2, 1, 2], [0x42, 0x10, 0x2A], [0x08]]) { $0.offsets[2] = 12 },
      "property-list", "object 2 is the integer 42 within the data of object 1"),
    valid(
      "property-lists/valid/counts-of-all-widths",
      list([
        [0xA4, 1, 2, 3, 4], [0x5F, 0x10, 2] + "ab".utf8, [0x5F, 0x11, 0, 2] + "cd".utf8, [0x5F, 0x12, 0, 0, 0, 2] + "ef".utf8,
        [0x5F, 0x13, 0, 0, 0, 0, 0, 0, 0, 2] + "gh".utf8,
      ]), "property-list", "a count behind the marker in 1, 2, 4 and 8 bytes, though the marker could hold it"),
    valid(
      "property-lists/valid/dictionary-that-looks-like-a-uid", RawPropertyList(.object([("CF$UID", .integer(5))])).bytes, "property-list",
      "in binary form a dictionary with CF$UID is a dictionary"),
    valid(
      "property-lists/valid/unused-bytes-of-the-trailer",
      Array(list([[0x09]]).prefix(10)) + [1, 2, 3, 4, 5, 6] + Array(list([[0x09]]).suffix(26)), "property-list",
      "the first six bytes of the trailer say nothing"),
    valid(
      "property-lists/valid/uids-of-all-widths",
      list([[0xA8, 1, 2, 3, 4, 5, 6, 7, 8]] + (0..<8).map { [0x80 | UInt8($0)] + RawPropertyList.integer(7, $0 + 1) }),
      "property-list", "uid 7 in one to eight bytes"),
    valid(
      "property-lists/valid/smallest-widths", list([RawPropertyList.marker(0x40, 244) + [UInt8](repeating: 7, count: 244)]),
      "property-list", "offsets of one byte are enough for an offset table at 255"),
    valid(
      "property-lists/valid/255-objects", list([RawPropertyList(referenceSize: 1).array([254])] + [[UInt8]](repeating: [0x09], count: 254)),
      "property-list", "references of one byte are enough for 255 objects"),
    valid("property-lists/valid/512-levels", nested(512), "property-list", "the depth limit, in a list whose objects go out of line"),
    valid(
      "property-lists/valid/unreachable-object", list([[0x09], [0xA1, 0]]), "property-list", "object 1 is not reached from the top"),
  ]

  /// Arrays within each other.
  private static func nested(_ depth: Int) -> [UInt8] {
    var list = RawPropertyList(referenceSize: 2)
    for level in 0..<depth { list.add(level + 1 < depth ? list.array([level + 1]) : [0xA0]) }
    return list.bytes
  }

  private static let widths: [AppleFixture] = (1...8).map { width in
    valid(
      "property-lists/valid/width-\(width)",
      RawPropertyList(.object([("a", .array([.integer(1), .integer(2)])), ("b", .bool(true))]), referenceSize: width, offsetSize: width)
        .bytes,
      "property-list", "references and offsets of \(width) bytes")
  }

  /// A list of one object with a wrong field in the trailer, which begins at offset 10.
  private static func trailer(
    _ name: String, _ place: Int, _ value: UInt64, _ code: String, at offset: Int, _ reason: String
  ) -> AppleFixture {
    refused("property-lists/invalid/\(name)", list([[0x09]]) { $0.trailer[place] = value }, code, at: offset, reason)
  }

  private static let invalidTrailers: [AppleFixture] = [
    refused(
      "property-lists/invalid/too-short", Array("bplist00".utf8) + [UInt8](repeating: 0, count: 32), "property-list-too-short", at: 0,
      "40 bytes"),
    refused("property-lists/invalid/other-file", Array("Dear diary".utf8), "not-a-property-list", at: 0, "text"),
    trailer("offset-size-0", 6, 0, "integer-width", at: 16, "an offset has 1 to 8 bytes"),
    trailer("offset-size-9", 6, 9, "integer-width", at: 16, "an offset has 1 to 8 bytes"),
    trailer("reference-size-0", 7, 0, "integer-width", at: 17, "a reference has 1 to 8 bytes"),
    trailer("reference-size-9", 7, 9, "integer-width", at: 17, "a reference has 1 to 8 bytes"),
    trailer("no-objects", 8, 0, "object-count", at: 18, "there is at least one object"),
    trailer("top-beyond-table", 16, 1, "top-object", at: 26, "the top object is one of the table"),
    trailer("table-in-header", 24, 8, "offset-table", at: 34, "the table is behind the first object"),
    trailer("table-beyond-end", 24, 10, "offset-table", at: 34, "the table is before the trailer"),
    trailer("table-offset-of-64-bits", 24, .max, "offset-table", at: 34, "an offset that overflows a signed integer"),
    trailer("table-too-short", 8, 2, "offset-table", at: 18, "the table fills the space up to the trailer exactly"),
    trailer("object-count-overflows", 8, 1 << 61, "offset-table", at: 18, "the length of the table overflows"),
    refused(
      "property-lists/invalid/reference-size-too-small",
      list([RawPropertyList(referenceSize: 1).array([1])] + [[UInt8]](repeating: [0x09], count: 255)), "integer-width", at: 784,
      "256 objects need references of two bytes"),
    refused(
      "property-lists/invalid/offset-size-too-small",
      list([[0x4F, 0x11, 1, 0] + [UInt8](repeating: 7, count: 256)]) { $0.offsetSize = 1 }, "integer-width", at: 275,
      "an offset table at 268 needs offsets of two bytes"),
  ]

  private static func object(_ name: String, _ object: [UInt8], _ code: String, at offset: Int, _ reason: String) -> AppleFixture {
    refused("property-lists/invalid/\(name)", list([object]), code, at: offset, reason)
  }

  private static let invalidObjects: [AppleFixture] = [
    refused("property-lists/invalid/offset-in-header", list([[0x09]]) { $0.offsets[0] = 7 }, "object-offset", at: 9, "offsets begin at 8"),
    refused(
      "property-lists/invalid/offset-beyond-objects", list([[0x09]]) { $0.offsets[0] = 9 }, "object-offset", at: 9,
      "objects lie before the offset table"),
    object("marker-0f", [0x0F], "object-marker", at: 8, "an unassigned marker"),
    object("marker-15", [0x15], "object-marker", at: 8, "an integer of 32 bytes"),
    object("marker-b0", [0xB0], "object-marker", at: 8, "an unassigned marker"),
    object("marker-e0", [0xE0], "object-marker", at: 8, "an unassigned marker"),
    object("integer-past-end", [0x13, 0, 0], "object-length", at: 9, "an integer of eight bytes with two left"),
    object("string-past-end", [0x53, 0x61], "object-length", at: 9, "a string of three bytes with one left"),
    object("utf-16-past-end", [0x62, 0, 0x61, 0], "object-length", at: 9, "two code units need four bytes"),
    object("count-is-no-integer", [0xAF, 0x51, 0x61], "object-marker", at: 9, "a count is an integer"),
    object("reference-beyond-table", [0xA1, 1], "object-reference", at: 9, "a reference to object 1 of one"),
    object("marker-70", [0x70], "object-marker", at: 8, "strings in UTF-8 belong to later versions of the format"),
    object("marker-73", [0x73, 0xE2, 0x82, 0xAC], "object-marker", at: 8, "strings in UTF-8 belong to later versions of the format"),
    object("marker-7e", [0x7E] + [UInt8](repeating: 0x61, count: 14), "object-marker", at: 8, "the longest such string without a count"),
    object("marker-7f", [0x7F, 0x10, 1, 0x61], "object-marker", at: 8, "such a string with a count"),
    object("date-nan", [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], "date-not-a-number", at: 9, "a date is a number"),
    object("uid-of-33-bits", [0x84, 1, 0, 0, 0, 0], "uid-range", at: 9, "a uid fits 32 bits"),
    object("uid-of-9-bytes", [0x88] + [UInt8](repeating: 0, count: 9), "uid-range", at: 9, "a uid has at most eight bytes"),
    refused("property-lists/invalid/key-is-no-string", list([[0xD1, 1, 1], [0x09]]), "key-type", at: 8, "keys are strings"),
  ]

  /// Read with a note, as Apple's own parser reads them.
  private static let oddLists: [AppleFixture] = [
    odd(
      "property-lists/odd/key-twice", list([[0xD2, 1, 1, 2, 3], RawPropertyList.ascii("a"), [0x10, 1], [0x10, 2]]), "property-list",
      "repeated-key", at: 8, "the same key twice"),
    odd(
      "property-lists/odd/key-as-two-objects",
      list([[0xD2, 1, 2, 3, 3], RawPropertyList.ascii("a"), [0x61, 0x00, 0x61], [0x09]]), "property-list", "repeated-key", at: 8,
      "the same key as two objects, in ASCII and in UTF-16"),
    odd(
      "property-lists/odd/key-twice-inside", list([[0xA1, 1], [0xD2, 2, 2, 3, 4], RawPropertyList.ascii("a"), [0x08], [0x09]]),
      "property-list", "repeated-key", at: 10, "a key twice in a dictionary that is not the outermost one"),
    odd(
      "property-lists/odd/ascii-with-eighth-bit", list([[0x53, 0x61, 0xE9, 0x80]]), "property-list", "ill-formed-text", at: 10,
      "bytes above 127 in an ASCII string are Latin-1"),
    odd(
      "property-lists/odd/ascii-with-utf-8", list([[0xD1, 1, 2], [0x52, 0xC3, 0xA9], [0x53, 0x61, 0xC3, 0xA9]]), "property-list",
      "ill-formed-text", at: 12, "UTF-8 in ASCII strings, a key and a value, has a character for each byte"),
    odd(
      "property-lists/odd/utf-16-lone-surrogates", list([[0x64, 0, 0x61, 0xD8, 0x3D, 0xDE, 0, 0xDC, 0]]), "property-list", losses: 1,
      "ill-formed-text", at: 9, "a pair of surrogates, and half of one, which becomes U+FFFD"),
    odd(
      "property-lists/odd/utf-16-cut-off", list([[0x62, 0, 0x61, 0xD8, 0x3D]]), "property-list", losses: 1, "ill-formed-text", at: 9,
      "a text that was cut off between surrogates"),
    odd(
      "property-lists/odd/unused-objects", list([[0xA1, 1], [0x09], [0xE0], [0xA1, 9], [0x53, 0x61]]), "property-list", "object-marker",
      at: 11, "objects 2 to 4 cannot be read, and nothing refers to them"),
    odd(
      "property-lists/odd/unused-key-beyond-table", list([[0x09], [0xD1, 0xA1, 0x00]]), "property-list", "object-reference", at: 10,
      "a dictionary that nothing refers to has a key beyond the table"),
    odd(
      "property-lists/odd/many-places", list([[0xAC] + (1...12)] + (0..<12).map { [0x51, 0xE0 + $0] }), "property-list",
      "ill-formed-text", at: 22, "twelve strings with the same oddity"),
  ]

  private static let hostileLists: [AppleFixture] = [
    refused(
      "property-lists/hostile/two-billion-elements", list([[0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 24)]),
      "object-length", at: 14, "71 bytes that declare 2^31-1 elements"),
    refused(
      "property-lists/hostile/count-of-64-bits", list([[0xDF, 0x13] + RawPropertyList.integer(.max, 8)]), "object-length", at: 18,
      "a count whose length in bytes overflows"),
    refused("property-lists/hostile/self-reference", list([[0xA1, 0]]), "container-cycle", at: 8, "an array that contains itself"),
    refused("property-lists/hostile/circle-of-two", list([[0xA1, 1], [0xA1, 0]]), "container-cycle", at: 8, "two arrays in a circle"),
    refused("property-lists/hostile/513-levels", nested(513), "import-depth", at: 8, "one level more than the limit"),
    refused("property-lists/hostile/3000-levels", nested(3000), "import-depth", at: 7469, "the 513th array from the innermost one"),
    valid(
      "property-lists/hostile/exponential-sharing", exponential, "property-list",
      "29 arrays, each with the next one twice: 2^29 strings if expanded"),
    refused(
      "property-lists/hostile/overlapping-data", overlapping, "import-work", at: nil, "400 objects of 8,191 bytes in the same 16 KB"),
  ]

  private static var exponential: [UInt8] {
    var list = RawPropertyList()
    for level in 0..<30 { list.add(level < 29 ? list.array([level + 1, level + 1]) : RawPropertyList.ascii("end")) }
    return list.bytes
  }

  /// Each fourth byte begins an object that takes in the half of the bytes that follows it.
  private static var overlapping: [UInt8] {
    var list = RawPropertyList(referenceSize: 2)
    list.add([0x4F, 0x11, 0x1F, 0xFF].repeated(2048) + [UInt8](repeating: 0, count: 8192))
    for index in 1..<400 {
      list.add([])
      list.offsets[index] = 8 + 4 * index
    }
    return list.bytes
  }
}

extension [UInt8] {
  /// The bytes several times.
  fileprivate func repeated(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in self } }
}
