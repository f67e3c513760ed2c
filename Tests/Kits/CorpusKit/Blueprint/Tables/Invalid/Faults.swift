/// Archives with one fault each, by chapter of the Spec, which is the name of their folder.
enum Faults {
  static var all: [Specimen] {
    let chapters: [(name: String, faults: [Specimen])] = [
      ("4.1-overview", overview), ("4.2-prefix", prefix), ("4.4-tree", tree), ("4.6-content-digest", digest),
      ("4.3-metadata", directory + header + headerValues + origins + types + keyTable + counts),
      ("5-primitives", varints + text + bounds), ("6.1-values", tags + numbers + otherValues), ("6.2-entries", entries),
      ("6.3-state", stateRecords + stateOrder), ("6.4-nodes", rootRecord + children + parents + recordFields + siblings),
      ("6.5-identifiers", identifiers + strings),
    ]
    return chapters.flatMap { chapter in chapter.faults.map { $0.moved("invalid/\(chapter.name)") } }
  }

  /// Returns a fault in the only value of the application state.
  static func value(
    _ name: String, _ code: String, _ rule: String, at place: Place = "fault", _ parts: [Part], _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: place, rule, path: "", key: "value")
    return .fault(name, of: Draft(application: ["value": .raw(parts)]), [finding], reason)
  }

  /// Returns a fault in the state record of the empty path, with the key table "a", "b" and "c".
  static func record(
    _ name: String, _ code: String, _ rule: String, at place: Place = "fault", key: String? = nil, _ parts: [Part], _ reason: String
  ) -> Specimen {
    let draft = Draft(applicationRecord: parts, rawKeys: ["a", "b", "c"])
    return .fault(name, of: draft, [Finding(code, at: place, rule, path: "", key: key)], reason)
  }
}
