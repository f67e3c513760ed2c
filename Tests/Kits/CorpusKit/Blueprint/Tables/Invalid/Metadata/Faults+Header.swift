extension Faults {
  static let header: [Specimen] = [
    .fault(
      "header-keys-exchanged", of: Samples.rich, [Finding("header-order", at: "header[1].key", "R-4.3-8")], "Header keys ascend."
    ) { try $0.exchange("header[0].key", "header[1].key", right: "this key comes before the other") },
    .fault(
      "header-key-twice", of: Samples.rich, [Finding("header-order", at: "header[1].key", "R-4.3-8")], "No header key occurs twice."
    ) { try $0.set("header[1].key", text: "bundleVersion", right: "another key") },
    .fault(
      "volatile-keys-exchanged", of: Samples.rich, [Finding("header-order", at: "volatile[1].key", "R-4.3-8")],
      "Keys of the volatile header ascend too."
    ) { blueprint in
      try blueprint.exchange("volatile[0].key", "volatile[1].key", right: "this key comes before the other")
      try blueprint.exchange("volatile[0].value", "volatile[1].value", right: nil)
    },
    .fault(
      "volatile-key-twice", of: Samples.rich, [Finding("header-order", at: "volatile[1].key", "R-4.3-8")],
      "No key of the volatile header occurs twice."
    ) { blueprint in
      try blueprint.set("volatile[1].key", text: "timestamp", right: "another key")
      try blueprint.adapt("volatile[1].value", blueprint.piece("volatile[0].value").bytes)
    },
    .fault(
      "volatile-header-with-another-byte-at-its-end", of: Samples.empty, [Finding("header-padding", at: 0xff, "R-4.3-15")],
      "What stands behind the entries of the volatile header is zeros up to byte 255."
    ) { try $0.set("volatile.padding", [UInt8](repeating: 0, count: 190) + [1], right: "00*191") },
    .fault(
      "volatile-header-with-another-byte", of: Samples.rich, [Finding("header-padding", at: "volatile.padding", "R-4.3-15")],
      "A byte behind the entries, as if there were another one that the count leaves out; what is left of the 192 bytes is zeros."
    ) { blueprint in
      let count = try blueprint.assemble().places["volatile.padding"]?.count ?? 0
      try blueprint.set("volatile.padding", [1] + [UInt8](repeating: 0, count: count - 1), right: "zeros")
    },
    .fault(
      "volatile-header-a-byte-longer", of: Samples.empty, [Finding("section-order", at: 0x100, "R-4.3-4")],
      "The volatile header has 192 bytes, so the directory begins at 256, here with no section."
    ) { try $0.set("volatile.padding", [UInt8](repeating: 0, count: 192), right: "00*191") },
    .fault(
      "volatile-header-text-past-its-end", of: Draft(header: ["systemVersion": "1"]),
      [Finding("length-past-end", at: .field("volatile[0].value", plus: 1), "R-5.3-1")],
      "The text is a byte longer than what is left of the 192 bytes."
    ) { blueprint in
      let text = [UInt8](repeating: 0x31, count: 175)
      try blueprint.set("volatile[0].value", [0x06, 0xaf, 0x01] + text, right: "at most 174 bytes of text")
    },
    volatile("volatile-header-with-bundle-version", "bundleVersion", "A key that is not volatile would be left out of the content digest."),
    volatile("volatile-header-with-dotted-key", "com.example.uptime", "Keys of others are never volatile."),
    volatile("volatile-header-with-unknown-key", "status", "In version 1.0 an unknown key is not registered as volatile."),
    .fault(
      "header-with-timestamp", of: Draft(header: ["bundleVersion": "42"]), [Finding("header-group", at: "fault", "R-4.3-9")],
      "A volatile key outside the volatile header: every save would count as a change."
    ) { blueprint in
      let entry = [Piece.string("extra.key", "timestamp", "key"), Piece("extra.value", [0x30], "date 0", depth: 1)]
      try blueprint.insert(entry, after: "header[0].value", right: "this entry belongs into the volatile header")
      try blueprint.adapt("header.count", [2])
    },
    headerKey("header-key-unknown", "colour", "A key that is not registered and has no full stop."),
    headerKey("header-key-in-other-case", "BundleVersion", "There is no case folding: this key is not registered."),
    .fault(
      "header-digest-without-link", of: Draft(header: ["baseContentDigest": "0123456789abcdef"]),
      [Finding("link-header", at: "header[0].key", "R-15.1-1")], "Only a link names a file before it."),
    .fault(
      "header-key-empty", of: Draft(header: ["x.y": 1]), [Finding("string-length", at: "header[0].key", "R-5.2-2")],
      "A header key has at least one byte."
    ) { try $0.set("header[0].key", [0], right: "1 to 255 bytes") },
    .fault(
      "header-key-ill-formed", of: Draft(header: ["x.y": 1]), [Finding("invalid-utf8", at: .field("header[0].key", plus: 3), "R-5.2-1")],
      "A key that ends within a scalar value."
    ) { try $0.set("header[0].key", [0x03, 0x78, 0x2e, 0xc3], right: "well-formed UTF-8") },
  ]

  private static func volatile(_ name: String, _ key: String, _ reason: String) -> Specimen {
    let draft = Draft(header: ["timestamp": .date(816_901_200.0, json: "2026-11-20T21:00:00Z")])
    return .fault(name, of: draft, [Finding("header-group", at: "fault", "R-4.3-9")], reason) { blueprint in
      let entry = [Piece.string("extra.key", key, "key"), Piece("extra.value", [0x81, 0x31], "string of 1 bytes", textStart: 1, depth: 1)]
      try blueprint.insert(entry, before: "volatile[0].key", right: "this entry does not belong into the volatile header")
      try blueprint.adapt("volatile.count", [2])
    }
  }

  private static func headerKey(_ name: String, _ key: String, _ reason: String) -> Specimen {
    let finding = Finding("unknown-header-key", at: "header[0].key", "R-3.3-1")
    return .fault(name, of: Draft(header: [key: "1"]), [finding], reason) { blueprint in
      try blueprint.mark("header[0].key", right: "a registered key or one with a full stop")
    }
  }
}
