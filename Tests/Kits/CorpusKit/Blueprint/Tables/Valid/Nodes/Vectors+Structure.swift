extension Vectors {
  static let structure: [Specimen] = [
    .vector("empty-archive", Draft(), "No header, no state, no node: saved, and empty."),
    .vector("application-state", Draft(application: ["theme": "dark"]), "Only the application as a whole encoded something."),
    .vector("one-node", Draft(nodes: [DraftNode("root")]), "A node without type and state."),
    .vector("node-state", Draft(nodes: [DraftNode("root", state: ["zoom": 2])]), "A node with state; record 0 has none."),
    .vector(
      "two-roots", Draft(nodes: [DraftNode("first"), DraftNode("second")]), "The empty path may have several children."),
    .vector(
      "three-levels",
      Draft(
        application: ["open": true],
        nodes: [
          DraftNode(
            "root", state: ["n": 1],
            children: [
              DraftNode("left", state: ["n": 2], children: [DraftNode("leaf", state: ["n": 3])]),
              DraftNode("right", state: ["n": 4], children: [DraftNode("leaf", state: ["n": 5])]),
            ])
        ]),
      "Records lie breadth first, state records in preorder."),
    .vector(
      "saved-order",
      Draft(nodes: [
        DraftNode("zebra", state: ["n": 1]), DraftNode("apple", state: ["n": 2]), DraftNode("mango", state: ["n": 3]),
      ]),
      "Siblings are sorted by identifier; their saved order is a field, and their state records follow it."),
    .vector(
      "saved-order-below",
      Draft(nodes: [
        DraftNode("b", state: ["n": 1], children: [DraftNode("y", state: ["n": 2]), DraftNode("x", state: ["n": 3])]),
        DraftNode("a", state: ["n": 4], children: [DraftNode("z", state: ["n": 5])]),
      ]),
      "The state records of a whole subtree lie where its node stands in saved order."),
    .vector(
      "state-here-and-there",
      Draft(nodes: [
        DraftNode(
          "root", children: [DraftNode("a", state: ["n": 1]), DraftNode("b"), DraftNode("c", state: ["n": 2])])
      ]),
      "Nodes without state record have stateOffset 0 and stateLength 0."),
  ]
}
