extension Vectors {
  static let keys: [Specimen] = [
    .vector(
      "keys-sorted", Draft(application: ["b": 1, "c": 2, "a": 3]), "Entries stand in the order of their keys, not in that of encoding."),
    .vector(
      "keys-nfc-and-nfd", Draft(application: ["\u{e9}": 1, "e\u{301}": 2]), "Keys that look the same but differ in bytes are two keys."),
    .vector("keys-case", Draft(application: ["A": 1, "a": 2, "\u{c0}": 3]), "Order is that of bytes; there is no case folding."),
    .vector(
      "key-63-bytes", Draft(application: [String(repeating: "k", count: 63): 1]), "The longest key that the key table may hold."),
    .vector("key-64-bytes", Draft(application: [String(repeating: "k", count: 64): 1]), "The shortest key that is inline."),
    .vector(
      "key-inline-twice",
      Draft(
        application: .init([(String(repeating: "i", count: 70), 1), ("a", 2), ("z", 3)]),
        nodes: [DraftNode("root", state: .init([(String(repeating: "i", count: 70), 4)]))]),
      "An inline key is written out wherever it is used, and sorted among the others."),
    .vector(
      "key-shared", Draft(application: ["row": 1], nodes: [DraftNode("a", state: ["row": 2]), DraftNode("b", state: ["row": 3])]),
      "A key stands once in the table and is referred to by all."),
    .vector(
      "key-control-characters", Draft(application: ["line\nfeed": 1, "quote\"": 2, "\u{202e}flip": 3]),
      "Keys may hold any text; JSON escapes it."),
    .vector(
      "keys-500", Draft(application: .init((0..<500).map { ("key-\(1000 + $0)", .integer(Int128($0))) }), isCompact: true),
      "From the 240th key of the table on, a key reference takes two bytes; 495 needs the second first byte."),
  ]
}
