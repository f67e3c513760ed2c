extension Vectors {
  static let header: [Specimen] = [
    .vector(
      "header-full",
      Draft(header: [
        "bundleIdentifier": "org.example.editor", "bundleVersion": "42", "systemVersion": "6.1.0",
        "timestamp": .date(816_901_200.25, json: "2026-11-20T21:00:00.250Z"), "userInterfaceIdiom": "desktop", "writer": "example 1.0",
      ]),
      "Every registered key: three are volatile and stand in front, the others behind the directory."),
    .vector(
      "header-volatile-only", Draft(header: ["timestamp": .date(0.0, json: "2001-01-01T00:00:00Z")]),
      "A volatile key alone; it does not count for the content digest."),
    .vector(
      "header-volatile-full",
      Draft(header: [
        "systemVersion": .string(String(repeating: "s", count: 64)), "timestamp": .date(816_901_200.1, json: "2026-11-20T21:00:00.100Z"),
        "writer": .string(String(repeating: "w", count: 83)),
      ]),
      "The longest texts that the volatile header has room for: count and entries take 192 bytes, and no zeros are behind them."),
    .vector(
      "header-not-volatile-only", Draft(header: ["bundleVersion": ""]), "A key that is not volatile alone; its value may be empty."),
    .vector(
      "header-dotted-keys",
      Draft(header: ["com.example.channel": "beta", "com.example.build": 7, ".": true, "bundleVersion": "1"]),
      "Keys of others contain a full stop; all keys of the part are sorted together."),
    .vector(
      "header-dotted-types",
      Draft(header: [
        "x.bool": true, "x.integer": -300, "x.float": .float(1.5, json: "1.5"), "x.string": "text",
        "x.data": .data([1, 2], base64: "AQI="),
        "x.date": .date(816_901_200.0, json: "2026-11-20T21:00:00Z"), "x.uuid": .uuid("12345678-9abc-def0-1234-56789abcdef0"),
        "x.url": .url("https://example.org/"),
      ]),
      "Every type that a value under a key with a full stop may have."),
    .vector(
      "header-unknown-idiom", Draft(header: ["userInterfaceIdiom": "hologram"]), "A reader keeps idioms that it does not know."),
    .vector(
      "header-long-string", Draft(header: ["bundleVersion": .string(String(repeating: "9", count: 100))]),
      "Strings of the header have the same two forms as others."),
  ]
}
