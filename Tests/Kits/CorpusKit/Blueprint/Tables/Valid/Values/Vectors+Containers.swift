extension Vectors {
  static let containers: [Specimen] = [
    value("array-empty", [], "An array without elements."),
    value("array-of-numbers", [1, 2, 300], "The order of elements is content."),
    value("array-mixed", [nil, true, -1, "x", .float(1.5, json: "1.5"), []], "Elements may be of different types."),
    value("array-of-arrays", [[1], [2, 3], []], "Arrays within an array."),
    value("array-of-200-bytes", .array((0..<100).map { .integer(Int128($0 + 100)) }), "An array whose length takes two bytes."),
    value("dictionary-empty", .dictionary([:]), "A dictionary without entries."),
    value("dictionary", .dictionary(["b": 1, "a": 2, "ab": 3]), "Entries are sorted by key; a key comes before those it begins."),
    value("dictionary-empty-key", .dictionary(["": 1, "a": 2]), "A key of a dictionary may be empty; it is in the key table too."),
    value("dictionary-dollar-key", .dictionary(["$date": 1]), "In JSON, a dictionary whose only key begins with $ stands in $dictionary."),
    value("dictionary-only-dollar", .dictionary(["$": "x"]), "A dollar sign alone is enough for $dictionary."),
    value("dictionary-two-dollar-keys", .dictionary(["$date": 1, "$url": 2]), "With two keys there is nothing to confuse."),
    value(
      "dictionary-nested-dollar", .dictionary(["$dictionary": .dictionary(["$dictionary": .dictionary([:])])]),
      "Each dictionary with a single dollar key has a $dictionary of its own."),
    value(
      "nested-three-deep", .dictionary(["a": [.dictionary(["b": [1]]), [[]]]]), "Arrays and dictionaries in each other."),
    .vector("state-dollar-key", Draft(application: ["$date": 1]), "In JSON, a state is never a tagged object, whatever its keys."),
  ]

  static let sensitive: [Specimen] = [
    .vector(
      "sensitive-in-application", Draft(application: ["name": "x", "token": .sensitive("abc")]),
      "The mark stands between key and value."),
    .vector(
      "sensitive-in-state", Draft(nodes: [DraftNode("root", state: ["password": .sensitive("hunter2")])]),
      "An entry of the state of a node is marked."),
    .vector(
      "sensitive-in-dictionary",
      Draft(application: ["account": .dictionary(["name": "x", "pin": .sensitive(1234)]), "list": [.dictionary(["pin": .sensitive(nil)])]]),
      "Entries of dictionaries may be marked at any depth."),
    .vector(
      "sensitive-dictionary", Draft(application: ["$a": .sensitive(.dictionary(["$b": .sensitive(1)]))]),
      "A marked dictionary with a marked entry, under keys with a dollar sign."),
    .vector(
      "sensitive-in-attribute-dictionary",
      Draft(nodes: [DraftNode("root", attributes: ["org.example.note": .dictionary(["secret": .sensitive("s")])])]),
      "The entry of an attribute cannot be marked, that of a dictionary in it can."),
  ]
}
