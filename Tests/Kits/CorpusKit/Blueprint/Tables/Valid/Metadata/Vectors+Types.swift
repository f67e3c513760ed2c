extension Vectors {
  static let types: [Specimen] = [
    .vector("type", Draft(nodes: [DraftNode("root", type: "Window")]), "A type with schema version 0."),
    .vector("type-with-schema", Draft(nodes: [DraftNode("root", type: "Window", schema: 300)]), "A schema version of two bytes."),
    .vector(
      "types-sorted",
      Draft(nodes: [
        DraftNode("a", type: "List", schema: 2), DraftNode("b", type: "Window"), DraftNode("c", type: "List"), DraftNode("d", type: "L"),
        DraftNode("e", type: "List", schema: 2), DraftNode("f"),
      ]),
      "Types are sorted by tag, then by schema version, and each stands once; 0 is no type."),
    .vector(
      "provider", Draft(nodes: [DraftNode("root", provider: .init(name: "Main", identifier: "editor"))]),
      "A provider reference is a state record without entries."),
    .vector(
      "attributes", Draft(nodes: [DraftNode("root", attributes: ["org.example.pinned": true, "org.example.colour": "red"])]),
      "Attributes without state."),
    .vector(
      "attributes-and-state",
      Draft(nodes: [DraftNode("root", attributes: ["a.b": 1], state: ["a.b": 2, "c": 3])]),
      "The same key in attributes and in state: they are apart."),
    .vector(
      "provider-of-1-byte-names", Draft(nodes: [DraftNode("root", provider: .init(name: "p", identifier: "q"))]),
      "The shortest names of a provider reference."),
    .vector(
      "provider-attributes-state",
      Draft(nodes: [
        DraftNode(
          "root", type: "Window", schema: 2, provider: .init(name: "Main", identifier: "editor"), attributes: ["org.example.pinned": true],
          state: ["zoom": .float(1.5, json: "1.5")])
      ]),
      "All three parts of a state record, in their order."),
  ]
}
