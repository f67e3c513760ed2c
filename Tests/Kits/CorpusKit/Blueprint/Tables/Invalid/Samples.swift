/// Small valid archives for the insertion of faults.
enum Samples {
  /// Five records: 0, then "root", its children "left" and "right", and "leaf" below "left".
  ///
  /// Records 2 and 3 have two bytes of state each.
  static let family = Draft(nodes: [
    DraftNode(
      "root",
      children: [DraftNode("left", state: ["a": 1], children: [DraftNode("leaf")]), DraftNode("right", state: ["a": 2])])
  ])

  /// Two nodes with long identifiers.
  static let long = Draft(nodes: [DraftNode("left-hand-side-panel"), DraftNode("right-hand-side-panel")])

  /// An archive with content in every part of the metadata.
  static let rich = Draft(
    header: [
      "bundleVersion": "42", "com.example.channel": "beta", "timestamp": .date(816_901_200.0, json: "2026-11-20T21:00:00Z"),
      "writer": "example",
    ],
    application: ["a": 1, "b": 2],
    nodes: [
      DraftNode("list", type: "List", schema: 1, origin: 1), DraftNode("panel", type: "List", schema: 2, origin: 2),
      DraftNode("root", type: "Window"),
    ],
    origins: [DraftOrigin(bundleVersion: "40"), DraftOrigin(bundleVersion: "41", sessionsCarried: 1)],
    sections: [DraftSection(code: "exAm", bytes: [1, 2, 3], base64: "AQID")])

  /// An archive without header, state and nodes.
  static let empty = Draft()
}
