/// Restoration archives as keyed archives, and what is not quite one (`Spec/keyed-archive.md`, chapter 4).
extension AppleFixture {
  /// The fixtures of the layout.
  static let layouts: [AppleFixture] = [
    layout("minimal", "the version alone: every other key is optional") { _ in [] },
    layout("whole", "every key of an archive, of a node and of an origin, and every kind of value", whole),
    layout("empty-members", "optional keys with empty values and 0 count as absent (R-K4-6)") { archive in
      let empty = archive.addDictionary([])
      let none = archive.addArray([])
      let node = archive.addDictionary([
        ("identifier", archive.add(.string("a"))), ("schema", archive.add(.integer(0))), ("attributes", empty), ("state", empty),
        ("children", none),
      ])
      return [
        ("minorVersion", archive.add(.integer(0))), ("header", empty), ("application", empty), ("nodes", archive.addArray([node])),
        ("sections", none),
      ]
    },
    layout("urls", "both forms of a url, also for texts that Foundation takes for none (R-K4-4)") { archive in
      let texts = ["https://example.org/a?b#c", "a b", "%zz"]
      let objects = texts.map { text in
        archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", archive.add(.string(text)))])
      }
      let tagged = texts.map { text in archive.addDictionary([("$url", archive.add(.string(text)))]) }
      return state(
        [("object0", objects[0]), ("object1", objects[1]), ("object2", objects[2])]
          + [("tagged0", tagged[0]), ("tagged1", tagged[1]), ("tagged2", tagged[2])], &archive)
    },
    layout("mutable-classes", "the mutable forms of strings, data, arrays and dictionaries (R-K4-5)") { archive in
      let one = archive.add(.integer(1))
      return state(
        [
          ("array", archive.addArray([one], type: "NSMutableArray")),
          ("data", archive.add("NSMutableData", [("NS.data", .data([1, 2]))])),
          ("dictionary", archive.addDictionary([("k", one)], type: "NSMutableDictionary")),
          ("string", archive.add("NSMutableString", [("NS.string", .string("text"))])),
        ], &archive)
    },
    layout("values-in-line", "values of property lists in the place of objects (R-K4-5)") { archive in
      state(
        [
          ("array", .array([.integer(1), .string("two")])), ("date", .date(Double(60).bitPattern)),
          ("data", archive.add("NSData", [("NS.data", .data([3]))])), ("dictionary", .object([("k", .bool(true))])),
        ], &archive)
    },
    fault("unknown-key", "archive-layout", "a key that the layout does not have (R-K4-2)") { archive in
      [("comment", archive.add(.string("x")))]
    },
    fault("unknown-key-of-node", "archive-layout", "a key that a node does not have (R-K4-2)") { archive in
      let node = archive.addDictionary([("identifier", archive.add(.string("a"))), ("title", archive.add(.string("x")))])
      return [("nodes", archive.addArray([node]))]
    },
    fault("node-without-identifier", "archive-layout", "a node has an identifier (R-K4-2)") { archive in
      [("nodes", archive.addArray([archive.addDictionary([])]))]
    },
    fault("later-version", "keyed-archive-version", version: 2, "another version of the layout (R-K4-2)") { _ in [] },
    fault("set-as-value", "archive-layout", "a set is no value of an archive (R-K4-2)") { archive in
      state([("set", archive.addArray([], type: "NSSet"))], &archive)
    },
    fault("set-of-nodes", "archive-layout", "a set is not taken for an array (R-K4-5)") { archive in
      [("nodes", archive.addArray([], type: "NSSet"))]
    },
    fault("ordered-set-of-children", "archive-layout", "an ordered set is not taken for an array either (R-K4-5)") { archive in
      let children = archive.addArray([], type: "NSOrderedSet")
      let node = archive.addDictionary([("identifier", archive.add(.string("a"))), ("children", children)])
      return [("nodes", archive.addArray([node]))]
    },
    fault("plain-set-of-nodes", "archive-layout", "a set of property lists is not taken for an array (R-K4-5)") { _ in
      [("nodes", .set([]))]
    },
    fault("further-field", "archive-layout", "an NSDictionary with another field is no dictionary of the layout (R-K4-2)") { archive in
      let fields: Members = [("NS.keys", .array([])), ("NS.objects", .array([])), ("more", .integer(1))]
      return [("application", archive.add("NSDictionary", fields))]
    },
    refused(
      "keyed-archives/invalid/layout-fifth-key",
      fifthKey { $0.top = [("root", $0.addDictionary([("restorationArchive", $0.add(.integer(1)))]))] }, "not-a-keyed-archive", at: nil,
      "the outermost dictionary has four keys (R-K4-2)"),
    fault("null-nodes", "archive-layout", "null is no empty array of nodes (R-K4-6)") { archive in
      [("nodes", archive.add("NSNull", []))]
    },
    fault("null-schema", "archive-layout", "null is no schema version of 0 (R-K4-6)") { archive in
      let node = archive.addDictionary([("identifier", archive.add(.string("a"))), ("schema", .uid(0))])
      return [("nodes", archive.addArray([node]))]
    },
    fault("url-with-base", "archive-layout", "a url has no base (R-K4-2)") { archive in
      let base = archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", archive.add(.string("https://example.org/")))])
      return state([("url", archive.add("NSURL", [("NS.base", base), ("NS.relative", archive.add(.string("a")))]))], &archive)
    },
    fault("subclass", "archive-layout", "a class that calls itself a dictionary by its $classes is not taken for one (R-K4-5)") { archive in
      let type = archive.addClass("AppDictionary", "NSDictionary")
      let value = archive.add(.object([("NS.keys", .array([])), ("NS.objects", .array([])), ("$class", type)]))
      return state([("value", value)], &archive)
    },
    fault("unknown-tag", "archive-layout", "a dictionary with a single key that begins with $ is one of the tags (R-K4-2)") { archive in
      state([("value", archive.addDictionary([("$no", archive.add(.integer(1)))]))], &archive)
    },
    fault("sensitive-element", "archive-layout", "only entries are sensitive, and not the elements of an array (R-K4-2)") { archive in
      state([("list", archive.addArray([archive.addDictionary([("$sensitive", archive.add(.integer(1)))])]))], &archive)
    },
  ]

  private typealias Members = [(String, PlainPropertyList)]

  private static func layout(_ name: String, _ reason: String, _ build: (inout RawKeyedArchive) -> Members) -> AppleFixture {
    valid("keyed-archives/valid/layout-\(name)", bytes(version: 1, build), "keyed-restoration-archive", reason)
  }

  private static func fault(
    _ name: String, _ code: String, version: Int128 = 1, _ reason: String, _ build: (inout RawKeyedArchive) -> Members
  ) -> AppleFixture {
    refused("keyed-archives/invalid/layout-\(name)", bytes(version: version, build), code, at: nil, reason)
  }

  private static func bytes(version: Int128, _ build: (inout RawKeyedArchive) -> Members) -> [UInt8] {
    var archive = RawKeyedArchive()
    let members = build(&archive)
    let version = archive.add(.integer(version))
    archive.top = [("root", archive.addDictionary([("restorationArchive", version)] + members))]
    return archive.bytes
  }

  /// Returns the members of an archive with an application state.
  private static func state(_ entries: Members, _ archive: inout RawKeyedArchive) -> Members {
    [("application", archive.addDictionary(entries))]
  }

  private static func whole(_ archive: inout RawKeyedArchive) -> Members {
    func string(_ text: String) -> PlainPropertyList { archive.add(.string(text)) }
    func integer(_ number: Int128) -> PlainPropertyList { archive.add(.integer(number)) }
    func tagged(_ tag: String, _ value: PlainPropertyList) -> PlainPropertyList { archive.addDictionary([(tag, value)]) }
    let date = archive.add("NSDate", [("NS.time", .number(86_400.5))])
    let uuid = archive.add("NSUUID", [("NS.uuidbytes", .data(Array(0..<16)))])
    let entries: Members = [
      ("array", archive.addArray([integer(1), string("two")])), ("bool", archive.add(.bool(true))), ("data", archive.add(.data([7, 8]))),
      ("date", date), ("dictionary", archive.addDictionary([("", integer(1)), ("k", integer(2))])),
      ("dollar", tagged("$dictionary", archive.addDictionary([("$url", integer(3))]))), ("float", archive.add(.number(0.5))),
      ("integer", integer(-3)), ("large", integer(18_446_744_073_709_551_615)), ("null", archive.add("NSNull", [])),
      ("nullText", archive.add("NSString", [("NS.string", .string("$null"))])),
      ("reference", tagged("$reference", archive.addArray([string("a"), string("b")]))), ("sensitive", tagged("$sensitive", string("s"))),
      ("string", string("text")), ("uuid", uuid),
    ]
    let origin = archive.addDictionary([("sessionsCarried", integer(2)), ("bundleVersion", string("41")), ("timestamp", date)])
    let child = archive.addDictionary([("identifier", string("b"))])
    let node = archive.addDictionary([
      ("identifier", string("a")), ("type", string("Window")), ("schema", integer(2)), ("origin", origin),
      ("provider", archive.addDictionary([("name", string("Main")), ("identifier", string("window"))])),
      ("attributes", archive.addDictionary([("app.note", string("x"))])), ("state", archive.addDictionary(entries)),
      ("children", archive.addArray([child])),
    ])
    let section = archive.addDictionary([("code", string("aaAa")), ("data", archive.add(.data([1])))])
    return [
      ("header", archive.addDictionary([("bundleVersion", string("42")), ("timestamp", date)])),
      ("application", archive.addDictionary([("theme", string("dark"))])), ("nodes", archive.addArray([node])),
      ("sections", archive.addArray([section])),
    ]
  }
}
