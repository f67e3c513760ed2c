extension SlowChecker {
  /// Spec 7.2 E: the state records, in ascending order of the node records.
  ///
  /// What is returned is which keys of the table were referred to.
  mutating func checkStates(_ structure: SlowStructure, _ damage: SlowDamage) -> [Bool] {
    let nodes = structure.nodes
    var reader = structure.valueReader()
    // Node records of an invalid file may all lead to the same bytes, which need to be read only once.
    var known: [SlowStatePlace: SlowFinding?] = [:]

    for (index, record) in nodes.records.enumerated() where !nodes.isPassedOver[index] && !nodes.hasFinding[index] {
      // No state record at all
      if record.stateLength == 0, record.flags == 0 { continue }
      var cursor = structure.stateCursor(bytes, of: record)
      guard damage.isIntact(cursor.position..<cursor.end) else { continue }

      let place = SlowStatePlace(offset: record.stateOffset, length: record.stateLength, flags: record.flags)
      let finding: SlowFinding?
      if let earlier = known[place] {
        finding = earlier
      } else {
        do throws(SlowFinding) {
          _ = try reader.readStateRecord(&cursor, of: record)
          finding = nil
        } catch {
          finding = error
        }
        known[place] = .some(finding)
      }
      if let finding { report(finding) }
    }
    return reader.usedKeys
  }
}

/// What decides how the bytes of a state record are read.
private struct SlowStatePlace: Hashable {
  let offset: UInt64
  let length: UInt64
  let flags: UInt8
}
