/// Damaged files of which a salvage keeps a part.
extension AppleFixture {
  static let damagedFiles: [AppleFixture] = [
    salvaged(
      "property-lists/invalid/damaged-element", list { $0.objects[2][0] = 0xE0 }.bytes, "object-marker", at: list().places[2],
      "in the place of the second text is a record with its number; all others are kept"),
    salvaged(
      "property-lists/invalid/damaged-trailer", list { $0.trailer[24] = .max }.bytes, "offset-table", at: list().bytes.count - 8,
      "the trailer is wrong, so the objects are found one after the other"),
    salvaged(
      "xml-lists/invalid/cut-off-in-array",
      Array("<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><array><true/><str".utf8), "xml-syntax", at: nil,
      "everything before the fault is kept"),
    salvaged(
      "xml-lists/invalid/missing-end-tag",
      Array("<plist><array><string>one</string><dict><key>x</key><string>kept</string></array></plist>".utf8), "xml-syntax", at: nil,
      "a dictionary whose end tag is missing keeps what is before the fault"),
    salvaged(
      "old-lists/invalid/cut-off-in-array", Array("{ a = 1; b = (2, 3".utf8), "list-syntax", at: nil, "everything before the fault is kept"),
    salvaged(
      "keyed-archives/invalid/damaged-container", keyed, "object-fields", at: nil,
      "the array has lost its class, and keeps its fields, which are sensitive"),
    salvaged(
      "keyed-archives/invalid/damaged-owner", owner, "object-index", at: nil,
      "nothing leads to the text any more, which is under its number, and sensitive"),
    salvaged(
      "keyed-archives/invalid/layout-damaged-state", layout, "object-fields", at: nil,
      "the state of the node is lost, and the text in it is in a root node of its own"),
  ]

  /// An array of four texts, the objects 1 to 4.
  private static func list(_ change: (inout RawPropertyList) -> Void = { _ in }) -> RawPropertyList {
    var list = RawPropertyList(.array(["one text", "second", "third", "fourth"].map { .string($0) }))
    change(&list)
    return list
  }

  /// A text, object 1, in an array of a class that the archive does not describe.
  private static var keyed: [UInt8] {
    var archive = RawKeyedArchive()
    let text = archive.add(.string("precious"))
    let array = archive.add(.object([("NS.objects", .array([text])), ("$class", .uid(99))]))
    archive.top = [("kept", archive.add(.integer(7))), ("list", array)]
    return archive.bytes
  }

  /// A text, object 1, that the named value led to.
  private static var owner: [UInt8] {
    var archive = RawKeyedArchive()
    _ = archive.add(.string("precious"))
    archive.top = [("kept", archive.add(.integer(7))), ("text", .uid(99))]
    return archive.bytes
  }

  private static var layout: [UInt8] {
    var archive = RawKeyedArchive()
    let text = archive.add(.string("precious"))
    let state = archive.add(.object([("NS.keys", .array([text])), ("NS.objects", .array([text])), ("$class", .uid(99))]))
    let node = archive.addDictionary([("identifier", archive.add(.string("a"))), ("state", state)])
    let version = archive.add(.integer(1))
    archive.top = [("root", archive.addDictionary([("restorationArchive", version), ("nodes", archive.addArray([node]))]))]
    return archive.bytes
  }
}
