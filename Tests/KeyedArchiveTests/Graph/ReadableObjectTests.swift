import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// Objects of well-known classes as values that people look for (rule R-K3-4).
@Suite struct ReadableObjectTests {
  private static func state(_ bytes: [UInt8], readable: Bool = true) throws -> ArchiveDictionary {
    try ImportedArchive(decoding: bytes, interpretsKnownClasses: readable).tree.applicationState
  }

  @Test("records of published classes become values (R-K3-4)")
  func readsRecords() throws {
    var archive = RawKeyedArchive()
    func ascii(_ text: String) -> PlainPropertyList { .data(Array(text.utf8) + [0]) }
    let name = archive.add(.string("Helvetica"))
    archive.top = [
      ("rgb", archive.add("NSColor", [("NSColorSpace", .integer(1)), ("NSRGB", ascii("0.5 0.25 1"))])),
      ("alpha", archive.add("NSColor", [("NSColorSpace", .integer(1)), ("NSRGB", ascii("0.5 0.25 1 0.5"))])),
      ("white", archive.add("NSColor", [("NSColorSpace", .integer(3)), ("NSWhite", ascii("0.5"))])),
      ("cmyk", archive.add("NSColor", [("NSColorSpace", .integer(5)), ("NSCMYK", ascii("0 0.5 1 0.25"))])),
      (
        "named",
        archive.add("NSColor", [("NSCatalogName", archive.add(.string("System"))), ("NSColorName", archive.add(.string("textColor")))])
      ),
      (
        "uicolor",
        archive.add("UIColor", [("UIRed", .number(1)), ("UIGreen", .number(0)), ("UIBlue", .number(0.5)), ("UIAlpha", .number(1))])
      ),
      ("font", archive.add("NSFont", [("NSName", name), ("NSSize", .number(12))])),
      ("uifont", archive.add("UIFont", [("UIFontName", name), ("UIFontPointSize", .number(13.5))])),
      ("text", archive.add("NSConcreteMutableAttributedString", [("NSString", archive.add(.string("words"))), ("NSAttributes", .uid(0))])),
      ("rect", archive.add("NSValue", [("NS.special", .integer(3)), ("NS.rectval", archive.add(.string("{{1, 2}, {3, 4}}")))])),
      ("number", archive.add("NSNumber", [("NS.intval", .integer(7))])), ("real", archive.add("NSNumber", [("NS.dblval", .number(1.5))])),
      (
        "decimal",
        archive.add(
          "NSDecimalNumber",
          [
            ("NS.exponent", .integer(-2)), ("NS.length", .integer(1)), ("NS.negative", .bool(true)), ("NS.mantissa.bo", .integer(1)),
            ("NS.mantissa", .data([0x7B, 0])),
          ])
      ),
    ]
    let state = try Self.state(archive.bytes)
    let expected: ArchiveDictionary = [
      "rgb": "rgb(0.5, 0.25, 1.0)", "alpha": "rgb(0.5, 0.25, 1.0) alpha 0.5", "white": "white(0.5)", "cmyk": "cmyk(0.0, 0.5, 1.0, 0.25)",
      "named": "color System textColor", "uicolor": "rgb(1.0, 0.0, 0.5)", "font": "Helvetica 12.0", "uifont": "Helvetica 13.5",
      "text": "words", "rect": "{{1, 2}, {3, 4}}", "number": 7, "real": 1.5, "decimal": "-1.23",
    ]
    #expect(state == expected)
    // With their fields unless asked for otherwise.
    guard case .dictionary(let font)? = try Self.state(archive.bytes, readable: false)["font"] else {
      Issue.record("no record")
      return
    }
    #expect(font == ["$class": "NSFont", "NSName": "Helvetica", "NSSize": 12.0])
  }

  @Test("a record of such a class with other fields keeps its fields")
  func keepsOthers() throws {
    var archive = RawKeyedArchive()
    archive.top = [
      ("color", archive.add("NSColor", [("NSRGB", .data(Array("red".utf8)))])),
      ("set", archive.add("NSIndexSet", [("NSRangeCount", .integer(2)), ("NSRangeData", .data([0x80]))])),
      ("none", archive.add("NSIndexSet", [("NSRangeCount", .integer(1)), ("NSLocation", .integer(3)), ("NSLength", .integer(0))])),
      ("large", archive.add("NSIndexSet", [("NSRangeCount", .integer(1)), ("NSLocation", .integer(.max)), ("NSLength", .integer(.max))])),
      ("small", archive.add("NSIndexSet", [("NSRangeCount", .integer(1)), ("NSLocation", .integer(.min)), ("NSLength", .integer(.min))])),
      ("many", archive.add("NSIndexSet", [("NSRangeCount", .integer(.max)), ("NSRangeData", .data([1, 1]))])),
      ("text", archive.add("NSAttributedString", [("NSString", .integer(1))])),
      ("own", archive.add("AppNote", [("NSString", .integer(1))])),
    ]
    for value in try Self.state(archive.bytes) {
      guard case .dictionary(let record) = value.value else {
        Issue.record("\(value.key)")
        continue
      }
      #expect(record["$class"] != nil)
    }
  }

  #if !canImport(ObjectiveC)
    @Test("objects that Foundation archives")
    func readsFoundation() throws {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.encode(NSAttributedString(string: "words", attributes: [.init("a"): 1]), forKey: "text")
      archiver.encode(NSIndexSet(indexSet: IndexSet([1, 2, 3, 9, 500])), forKey: "set")
      archiver.encode(NSIndexSet(indexesIn: NSRange(location: 3, length: 4)), forKey: "range")
      archiver.encode(NSIndexSet(), forKey: "none")
      archiver.encode(NSTimeZone(name: "Europe/Zurich"), forKey: "zone")
      archiver.encode(NSLocale(localeIdentifier: "de_CH"), forKey: "locale")
      archiver.encode(NSValue(point: CGPoint(x: 1, y: 2)), forKey: "point")
      archiver.encode(NSValue(range: NSRange(location: 1, length: 2)), forKey: "pair")
      archiver.finishEncoding()
      #expect(
        try Self.state([UInt8](archiver.encodedData)) == [
          "text": "words", "set": "1-3, 9, 500", "range": "3-6", "none": "", "zone": "Europe/Zurich", "locale": "de_CH",
          "point": "{1.0, 2.0}",
          "pair": [1, 2],
        ])
    }
  #endif
}
