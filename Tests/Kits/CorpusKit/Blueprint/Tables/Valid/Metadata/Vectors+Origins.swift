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
  ]
}
