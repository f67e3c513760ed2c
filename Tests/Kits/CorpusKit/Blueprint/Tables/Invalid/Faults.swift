/// Archives with one fault each, by chapter of the Spec.
enum Faults {
  static var all: [Specimen] {
    let file: [Specimen] = overview + prefix + tree + digest
    let metadata: [Specimen] = directory + header + headerValues + origins + types + keyTable + counts
    let primitives: [Specimen] = varints + text + bounds
    let values: [Specimen] = tags + numbers + otherValues + entries + stateRecords + stateOrder
    let nodes: [Specimen] = rootRecord + children + parents + recordFields + siblings + identifiers + strings
    return file + metadata + primitives + values + nodes
  }

  /// Returns a fault in the only value of the application state.
  static func value(
    _ name: String, in chapter: String, _ code: String, _ rule: String, at place: Place = "fault", _ parts: [Part], _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: place, rule, path: "", key: "value")
    return .fault(name, in: "invalid/\(chapter)", of: Draft(application: ["value": .raw(parts)]), [finding], reason)
  }

  /// Returns a fault in the state record of the empty path, with the key table "a", "b" and "c".
  static func record(
    _ name: String, in chapter: String, _ code: String, _ rule: String, at place: Place = "fault", key: String? = nil, _ parts: [Part],
    _ reason: String
  ) -> Specimen {
    let draft = Draft(applicationRecord: parts, rawKeys: ["a", "b", "c"])
    return .fault(name, in: "invalid/\(chapter)", of: draft, [Finding(code, at: place, rule, path: "", key: key)], reason)
  }
}
