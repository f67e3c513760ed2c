extension AppleFixture {
  private static func archive(_ build: (inout RawKeyedArchive) -> Void) -> RawKeyedArchive {
    var archive = RawKeyedArchive()
    build(&archive)
    return archive
  }

  private static func keyed(_ name: String, _ reason: String, _ build: (inout RawKeyedArchive) -> Void) -> AppleFixture {
    valid("keyed-archives/valid/\(name)", archive(build).bytes, "keyed-archive", reason)
  }

  private static func faulty(
    _ name: String, _ code: String, _ reason: String, at offset: Int? = nil, _ build: (inout RawKeyedArchive) -> Void
  ) -> AppleFixture {
    refused("keyed-archives/invalid/\(name)", archive(build).bytes, code, at: offset, reason)
  }

  static let keyedArchives: [AppleFixture] = validArchives + oddArchives + invalidArchives + hostileArchives

  /// A keyed archive with one string that is a mark, which is replaced by a string with half of a surrogate pair.
  private static let oddArchives: [AppleFixture] = [
    {
      let whole = archive { archive in
        let title = archive.add(.string("@ééé"))
        archive.top = [("title", title), ("other", archive.add(.string("other"))), ("row", .integer(7))]
      }.bytes
      // The first code unit of the title is "@".
      let place = whole.indices.first { whole[$0...].starts(with: [0x64, 0, 0x40]) } ?? 0
      var bytes = whole
      bytes.replaceSubrange((place + 1)..<(place + 3), with: [0xD8, 0x3D])
      return odd(
        "keyed-archives/odd/lone-surrogate", bytes, "keyed-archive", losses: 1, "ill-formed-text", at: place + 1,
        "a title that begins with half of an emoji; the other values are as they are")
    }(),
    odd(
      "keyed-archives/odd/fifth-key", fifthKey { $0.top = [("a", .integer(1))] }, "keyed-archive", "not-a-keyed-archive", at: nil,
      "the outermost dictionary has another key: its value is a named value"),
    odd(
      "keyed-archives/odd/field-twice",
      archive { archive in
        let type = archive.addClass("AppNote")
        archive.top = [("note", archive.add(.object([("a", .integer(1)), ("a", .integer(2)), ("$class", type)])))]
      }.bytes, "keyed-archive", "repeated-key", at: nil, "a record with a field twice: the second is in $fields"),
  ]

  /// A keyed archive with one more key in its outermost dictionary.
  static func fifthKey(_ build: (inout RawKeyedArchive) -> Void) -> [UInt8] {
    guard case .dictionary(let entries) = archive(build).plain else { return [] }
    return RawPropertyList(.dictionary(entries + [PlainEntry(key: .string("mine"), value: .string("precious"))])).bytes
  }

  private static let validArchives: [AppleFixture] = [
    keyed("empty", "no named values") { _ in },
    keyed("named-values", "several named values: UIDs, and values in line") { archive in
      let text = archive.add(.string("shared"))
      archive.top = [
        ("root", text), ("again", text), ("nothing", .uid(0)), ("flag", .bool(true)), ("count", .integer(-3)), ("ratio", .number(0.5)),
        ("inline", .object([("a", .integer(1)), ("b", .array([.string("x"), .integer(2)]))])),
      ]
    },
    keyed("foundation-values", "Foundation's value classes, mutable and ordered forms too") { archive in
      let (one, two) = (archive.add(.integer(1)), archive.add(.string("two")))
      let base = archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", archive.add(.string("https://example.org/a/")))])
      archive.top = [
        ("string", archive.add("NSString", [("NS.string", .string("s"))])),
        ("mutableString", archive.add("NSMutableString", [("NS.string", .string("ms"))])),
        ("data", archive.add("NSData", [("NS.data", .data([1, 2]))])),
        ("mutableData", archive.add("NSMutableData", [("NS.data", .data([3]))])),
        ("date", archive.add("NSDate", [("NS.time", .number(86_400.5))])), ("url", base),
        ("relativeURL", archive.add("NSURL", [("NS.base", base), ("NS.relative", archive.add(.string("b?c")))])),
        ("uuid", archive.add("NSUUID", [("NS.uuidbytes", .data(Array(0..<16)))])), ("null", archive.add("NSNull", [])),
        ("array", archive.addArray([one, two, .uid(0)])), ("mutableArray", archive.addArray([two], type: "NSMutableArray")),
        ("set", archive.addArray([one], type: "NSSet")), ("mutableSet", archive.addArray([two], type: "NSMutableSet")),
        ("orderedSet", archive.add("NSOrderedSet", [("NS.object.0", two), ("NS.object.1", one)])),
        ("mutableOrderedSet", archive.addArray([two, one], type: "NSMutableOrderedSet")),
        ("dictionary", archive.addDictionary([("k", one)])),
        ("mutableDictionary", archive.addDictionary([("k", two), ("l", one)], type: "NSMutableDictionary")),
        ("numberKeys", archive.add("NSDictionary", [("NS.keys", .array([one])), ("NS.objects", .array([two]))])),
        ("bareData", archive.add(.data([9]))), ("bareFlag", archive.add(.bool(false))), ("bareReal", archive.add(.number(2.5))),
        ("bareDate", archive.add(.date(Double(60).bitPattern))),
      ]
    },
    keyed("class-hints", "a record with $classhints, and fields without keys") { archive in
      let type = archive.addClass("AppNote", hints: ["NSArray"])
      archive.top = [("note", archive.add(.object([("$0", .integer(1)), ("$1", .string("text")), ("title", .uid(0)), ("$class", type)])))]
    },
    keyed("circle", "two records that refer to each other") { archive in
      let type = archive.addClass("AppNode")
      let first = archive.add(.null)
      let second = archive.add(.object([("name", .string("second")), ("next", first), ("$class", type)]))
      archive.objects[2] = .object([("name", .string("first")), ("next", second), ("$class", type)])
      archive.top = [("root", first)]
    },
    keyed("self-reference", "an array that contains itself") { archive in
      let type = archive.addClass("NSArray")
      let array = archive.add(.null)
      archive.objects[2] = .object([("NS.objects", .array([array])), ("$class", type)])
      archive.top = [("root", array)]
    },
    keyed("shared-large-object", "an array of 20 in two places is written once, out of line") { archive in
      let array = archive.addArray((0..<20).map { .integer($0) })
      archive.top = [("a", array), ("b", array)]
    },
    keyed("shared-small-objects", "two small objects in two places each are copied; an empty array and a text do not count") { archive in
      let (text, empty) = (archive.add(.string("text")), archive.addArray([]))
      let pair = archive.addArray([text, empty])
      let record = archive.add("AppMark", [("row", .integer(7))])
      archive.top = [("a", pair), ("b", pair), ("c", record), ("d", record), ("e", empty), ("f", text)]
    },
    keyed("shared-long-text", "a text of 512 bytes in two places is written once, out of line") { archive in
      let text = archive.add(.string(String(repeating: "x", count: 512)))
      archive.top = [("a", text), ("b", text)]
    },
    keyed("further-fields", "objects of known classes with a field more are records; a class as a value is its dictionary") { archive in
      let text = archive.add("NSString", [("NS.string", .string("s")), ("more", .integer(1))])
      archive.top = [("text", text), ("type", archive.addClass("AppNote", hints: ["NSArray"]))]
    },
    keyed("long-chain", "300 records, each within the one before") { archive in
      let type = archive.addClass("AppLink")
      var last = PlainPropertyList.uid(0)
      for index in 0..<300 { last = archive.add(.object([("index", .integer(Int128(index))), ("next", last), ("$class", type)])) }
      archive.top = [("root", last)]
    },
    keyed("dollar-keys", "keys that look like ours") { archive in
      archive.top = [
        ("$objects", .integer(1)), ("", .integer(2)), ("dictionary", archive.addDictionary([("$object", archive.add(.integer(3)))])),
      ]
    },
    valid(
      "keyed-archives/valid/xml-form",
      Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
        <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
        <key>$objects</key><array><string>$null</string><string>text</string></array></dict></plist>
        """.utf8), "keyed-archive", "UIDs are dictionaries in the XML form"),
  ]

  private static let invalidArchives: [AppleFixture] = [
    faulty("uid-beyond-table", "object-index", "UID 9 in a table of one") { $0.top = [("root", .uid(9))] },
    faulty("class-is-no-class", "object-fields", "$class is the number of a string") { archive in
      let text = archive.add(.string("x"))
      archive.top = [("root", archive.add(.object([("$class", text)])))]
    },
    faulty("class-in-line", "object-fields", "$class is a string in line") { archive in
      archive.top = [("root", archive.add(.object([("$class", .string("NSArray"))])))]
    },
    faulty("keys-without-objects", "object-fields", "two keys and one object") { archive in
      let key = archive.add(.string("k"))
      archive.top = [("root", archive.add("NSDictionary", [("NS.keys", .array([key, key])), ("NS.objects", .array([key]))]))]
    },
    faulty("uuid-of-15-bytes", "object-fields", "a UUID has 16 bytes") { archive in
      archive.top = [("root", archive.add("NSUUID", [("NS.uuidbytes", .data(Array(0..<15)))]))]
    },
    faulty("class-names-are-numbers", "object-fields", "$classes holds strings") { archive in
      archive.top = [("root", archive.add(.object([("$classname", .string("A")), ("$classes", .array([.integer(1)]))])))]
    },
    faulty("no-null", "object-fields", "object 0 is $null") { $0.objects = [.string("null")] },
    faulty("empty-table", "object-fields", "a table without objects") { $0.objects = [] },
    faulty("object-is-a-uid", "object-fields", "an object of the table is a UID") { archive in
      archive.top = [("root", archive.add(.uid(0)))]
    },
    faulty("other-version", "keyed-archive-version", "a version that is not 100000") { $0.version = .integer(200_000) },
    refused(
      "keyed-archives/invalid/objects-are-no-array",
      RawPropertyList(
        .object([
          ("$archiver", .string("NSKeyedArchiver")), ("$version", .integer(100_000)), ("$top", .object([])), ("$objects", .integer(1)),
        ])
      ).bytes, "not-a-keyed-archive", at: nil, "it must not look like an empty archive"),
  ]

  private static let hostileArchives: [AppleFixture] = [
    valid(
      "keyed-archives/hostile/exponential-sharing",
      archive { archive in
        var last = archive.add(.string("end"))
        for _ in 0..<30 { last = archive.addArray([last, last]) }
        archive.top = [("root", last)]
      }.bytes, "keyed-archive", "30 arrays, each with the one before twice: 2^30 strings if expanded"),
    refused(
      "keyed-archives/hostile/exponential-values-in-line", inline, "import-work", at: nil,
      "20 dictionaries in line, each with the next one twice, in a property list that shares them"),
  ]

  private static var inline: [UInt8] {
    var list = RawPropertyList()
    let names = ["$archiver", "$version", "$top", "$objects", "NSKeyedArchiver", "$null", "root", "other"]
    list.add([])
    for name in names { list.add(RawPropertyList.ascii(name)) }
    let version = list.add([0x12, 0, 0x01, 0x86, 0xA0])
    let objects = list.add([0xA1, 6])
    let top = list.add([])
    list.objects[0] = list.dictionary([1, 2, 3, 4], [5, version, top, objects])
    let start = list.objects.count
    for level in 0..<20 { list.add(level < 19 ? list.dictionary([7, 8], [start + level + 1, start + level + 1]) : [0x09]) }
    list.objects[top] = list.dictionary([7], [start])
    return list.bytes
  }
}
