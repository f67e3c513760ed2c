extension Vectors {
  static let origins: [Specimen] = [
    .vector(
      "origin",
      Draft(
        nodes: [DraftNode("new"), DraftNode("old", origin: 1, state: ["n": 1])],
        origins: [DraftOrigin(bundleVersion: "41", timestamp: (816_769_800.0, "2026-11-19T08:30:00Z"), sessionsCarried: 3)]),
      "A node that nobody consumed, carried over three times."),
    .vector(
      "origins-of-all-kinds",
      Draft(
        nodes: [DraftNode("a", origin: 1), DraftNode("b", origin: 2), DraftNode("c", origin: 3), DraftNode("d", origin: 4)],
        origins: [
          DraftOrigin(bundleVersion: "41", timestamp: (816_769_800.0, "2026-11-19T08:30:00Z"), sessionsCarried: 1),
          DraftOrigin(timestamp: (816_769_800.0, "2026-11-19T08:30:00Z"), sessionsCarried: 300), DraftOrigin(bundleVersion: "41"),
          DraftOrigin(),
        ]),
      "Bundle version and timestamp may each be unknown; entries are sorted by their bytes, whatever the order in which they were given."),
    .vector(
      "origin-shared",
      Draft(
        nodes: [DraftNode("a", origin: 1, children: [DraftNode("b", origin: 1)])],
        origins: [DraftOrigin(bundleVersion: "", sessionsCarried: 1)]),
      "Two nodes of one origin; a bundle version may be known and empty."),
    .vector(
      "origin-last-claimable",
      Draft(
        nodes: [
          DraftNode(
            "old", origin: 1,
            attributes: ["restoration.lastClaimable": .date(816_856_200.0, json: "2026-11-20T08:30:00Z")], state: ["n": 1])
        ],
        origins: [DraftOrigin(bundleVersion: "41", timestamp: (816_769_800.0, "2026-11-19T08:30:00Z"), sessionsCarried: 3)]),
      "A launch a day later could have claimed the node (R-3.5-6); to a reader this is an attribute like any other."),
    .vector(
      "origin-last-claimable-of-another-type",
      Draft(
        nodes: [DraftNode("old", origin: 1, attributes: ["restoration.lastClaimable": "yesterday"])],
        origins: [DraftOrigin(bundleVersion: "41", sessionsCarried: 3)]),
      "The registry's types of keys with a full stop bind programs that write them, not readers (R-3.5-6)."),
  ]
}
