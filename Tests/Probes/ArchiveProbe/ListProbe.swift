import KeyedArchive
import KeyedArchiveKit
import RestorationInspection

/// Measures memory, work and time of reading property lists that are made to cost much.
///
/// Work is counted in the units of `ImportLimits`, which allow 64 for each byte.
struct ListProbe {
  /// The most memory that an operation may take: 256 bytes for each byte of the file, and a megabyte.
  ///
  /// In a list without an offset table every byte can be an object, which takes some 50 bytes in a property list, and
  /// more than a hundred in the graph of an import. With an offset table an object takes at least two bytes of the file.
  static func maximumMemory(_ count: Int) -> Int { 256 * count + 1 << 20 }

  /// Measures all operations on all lists of about so many bytes; returns whether all are within the bounds.
  func measure(_ count: Int) throws -> Bool {
    var isWithin = true
    for (name, bytes) in Self.lists(count) {
      for (operation, body) in Self.operations {
        let clock = ContinuousClock()
        var time = Duration.zero
        let memory = try PeakMemory.growth { time = clock.measure { body(bytes) } }
        let isLarge = memory > Self.maximumMemory(bytes.count)
        if isLarge { isWithin = false }
        let ratio = Double(memory * 10 / max(bytes.count, 1)) / 10
        print("\(name), \(bytes.count) bytes, \(operation): \(ratio) bytes of memory for each, \(time)\(isLarge ? ", TOO MUCH" : "")")
      }
      let context = ImportContext(.standard, byteCount: bytes.count, .salvage)
      let work = context.work
      _ = try? PropertyList(decoding: bytes, context)
      print("\(name): \(Double((work - context.work) * 10 / bytes.count) / 10) units of work for each byte")
    }
    return isWithin
  }

  private static let operations: [(String, @Sendable ([UInt8]) -> Void)] = [
    ("decoding", { _ = try? PropertyList(decoding: $0) }), ("salvage", { _ = try? PropertyList(decoding: $0, tolerance: .salvage) }),
    ("import", { _ = try? ImportedArchive(decoding: $0) }),
    ("salvaged import", { _ = try? ImportedArchive(decoding: $0, tolerance: .salvage) }),
    ("readable import", { _ = try? ImportedArchive(decoding: $0, interpretsKnownClasses: true) }),
    ("writing", { _ = try? PropertyList(decoding: $0).encodedBinary() }),
    ("writing XML", { _ = try? PropertyList(decoding: $0).encodedXML() }),
    ("dump", { ArchiveDump($0).visitPieces { _ in } }),
  ]

  private static func lists(_ count: Int) -> [(String, [UInt8])] {
    func text(_ piece: String, _ head: String = "", _ tail: String = "") -> [UInt8] {
      Array((head + String(repeating: piece, count: count / piece.utf8.count) + tail).utf8)
    }
    func table(_ object: [UInt8], each size: Int) -> [UInt8] {
      var list = RawPropertyList(referenceSize: 4)
      let objects = count / (object.count + size)
      list.offsetSize = 4
      list.add(list.array([]))
      for _ in 0..<objects { list.add(object) }
      return list.bytes
    }
    var wide = RawPropertyList(referenceSize: 4)
    wide.add(wide.array((0..<(count / 12)).map { 1 + $0 }))
    for _ in 0..<(count / 12) { wide.add([0xE0]) }
    let cut = Array("bplist00".utf8) + [UInt8](repeating: 0xD1, count: count)
    return [
      ("objects of one byte", table([0x09], each: 4)), ("objects that cannot be read", table([0xE0], each: 4)),
      ("strings that are not ASCII", table([0x51, 0xE9], each: 4)), ("objects that are lost", wide.bytes),
      ("no trailer, containers", cut), ("no trailer, strings", Array("bplist00".utf8) + [UInt8](repeating: 0x50, count: count)),
      ("XML of empty arrays", text("<true/>", "<plist><array>", "</array></plist>")),
      ("XML that was cut off", text("<true/>", "<plist><array>")), ("XML of odd tags", text("<true a>b</true>", "<plist><array>")),
      (
        "UTF-16",
        "\u{FEFF}<plist><array>\(String(repeating: "<true/>", count: count / 14))</array></plist>".utf16.flatMap {
          [UInt8($0 & 255), UInt8($0 >> 8)]
        }
      ),
      ("base64", text("AAE=", "<plist><data>", "</data></plist>")),
      ("one key again and again", text("<key>a</key><true/>", "<plist><dict>", "</dict></plist>")),
      ("old-style elements", text("a,", "(", ")")), ("old-style escapes", text("\\Ud83d", "(\"", "\")")),
      ("comments", text("/**/", "{ a = b; ", "}")),
      ("comment without end", text("/*", "{ a = b; }")),
    ]
  }
}
