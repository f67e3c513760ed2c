extension Faults {
  static let entries: [Specimen] = [
    record(
      "key-index-past-table", "key-index", "R-6.2-1",
      [.good("01 41", "key a: integer 1"), .bad("04 42", "entry 3 of the key table", right: "an entry from 0 to 2")],
      "The table has three keys."),
    record(
      "key-index-of-two-bytes-past-table", "key-index", "R-6.2-1",
      [.bad("f0 00 41", "entry 239 of the key table", right: "an entry from 0 to 2")], "The first reference of two bytes."),
    record(
      "key-index-greatest", "key-index", "R-6.2-1", [.bad("ff ff 41", "entry 4,334 of the key table", right: "an entry from 0 to 2")],
      "The greatest reference leads behind even the longest table."),
    record(
      "key-inline-in-table", "key-inline", "R-6.2-2", key: "b",
      [.bad("00 01 \"b\" 41", "key b inline", right: "02: the key is in the table")], "A key that is in the table is not written out."),
    record(
      "key-inline-short", "key-inline", "R-6.2-2", key: "d",
      [.bad("00 01 \"d\" 41", "key d inline", right: "a reference, and the key in the table")], "A short key belongs into the table."),
    record(
      "key-inline-of-63-bytes", "key-inline", "R-6.2-2", key: String(repeating: "k", count: 63),
      [.bad("00 3f 6b*63 41", "key of 63 bytes inline", right: "a reference, and the key in the table")],
      "The longest key that belongs into the table."),
    record(
      "key-inline-empty", "key-inline", "R-6.2-2", key: "",
      [.bad("00 00 41", "the empty key inline", right: "no empty key in a state record")], "Not in the table is checked before not empty."),
    record(
      "key-inline-ill-formed", "invalid-utf8", "R-5.2-1",
      [.good("00 40 6b*63", "inline key, its first 63 bytes"), .bad("ff", "its last byte", right: "UTF-8"), .good("41", "integer 1")],
      "A key is well-formed UTF-8; it is read whole before anything else is asked of it."),
    .fault(
      "key-empty",
      of: Draft(applicationRecord: [.bad("01 41", "the empty key: integer 1", right: "a key of at least one byte")], rawKeys: ["", "a"]),
      [Finding("empty-key", at: "fault", "R-6.2-4", path: "", key: "")],
      "A key of a state record is not empty, though the table may hold the empty key."),
    record(
      "key-twice", "duplicate-key", "R-6.2-3", key: "a",
      [.good("01 41", "key a: integer 1"), .bad("01 42", "key a: integer 2", right: "another key")], "No key occurs twice."),
    record(
      "keys-exchanged", "key-order", "R-6.2-3", key: "a",
      [.good("02 41", "key b: integer 1"), .bad("01 42", "key a: integer 2", right: "this entry comes first")], "Keys ascend."),
    record(
      "key-behind-greater-inline-key", "key-order", "R-6.2-3", key: "b",
      [.good("00 40 6b*64 41", "inline key kkk...: integer 1"), .bad("02 42", "key b: integer 2", right: "this entry comes first")],
      "Inline keys have their place among the others."),
    record(
      "key-inline-twice", "duplicate-key", "R-6.2-3", key: String(repeating: "k", count: 64),
      [.good("00 40 6b*64 41", "inline key: integer 1"), .bad("00 40 6b*64 42", "the same key: integer 2", right: "another key")],
      "Inline keys are compared by their bytes."),
    record(
      "dictionary-key-twice", "duplicate-key", "R-6.2-3", key: "a",
      [
        .good("01 05 04", "key a: dictionary of 4 bytes"), .good("02 41", "key b: integer 1"),
        .bad("02 42", "key b: integer 2", right: "another key"),
      ],
      "No key occurs twice in a dictionary."),
    record(
      "dictionary-keys-exchanged", "key-order", "R-6.2-3", key: "a",
      [
        .good("01 05 04", "key a: dictionary of 4 bytes"), .good("03 41", "key c: integer 1"),
        .bad("02 42", "key b: integer 2", right: "this entry comes first"),
      ],
      "Keys of a dictionary ascend."),
    record(
      "dictionary-key-inline", "key-inline", "R-6.2-2", key: "a",
      [.good("01 05 04", "key a: dictionary of 4 bytes"), .bad("00 01 \"b\" 41", "key b inline", right: "02: the key is in the table")],
      "Keys of dictionaries are in the table like others."),
    record(
      "dictionary-key-index", "key-index", "R-6.2-1", key: "a",
      [.good("01 05 02", "key a: dictionary of 2 bytes"), .bad("04 41", "entry 3 of the key table", right: "an entry from 0 to 2")],
      "A key reference within a dictionary leads past the table."),
  ]
}
