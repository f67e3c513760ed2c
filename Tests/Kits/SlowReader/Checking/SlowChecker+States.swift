extension SlowChecker {
  /// Spec 7.2 E: the state records, in ascending order of the node records.
  ///
  /// Returns, for each key of the table, whether a record refers to it.
  mutating func checkStates(_ structure: SlowStructure, _ damage: SlowDamage) -> [Bool] {
    let nodes = structure.nodes
    var reader = structure.valueReader()
    // Whether each byte of the section belongs to a record read so far.
    var isRead = Array(repeating: false, count: structure.metadata.stateSection.count)

    for (index, record) in nodes.records.enumerated() where !nodes.isSkipped[index] && !nodes.hasFinding[index] {
      // There is no state record.
      if record.stateLength == 0, record.flags == 0 { continue }
      var cursor = structure.stateCursor(bytes, of: record)
      guard damage.isIntact(cursor.position..<cursor.end) else { continue }

      // E0, R-6.3-2
      let place = Int(record.stateOffset)..<Int(record.stateOffset + record.stateLength)
      guard !isRead[place].contains(true) else {
        report("state-order", at: record.offset + 16)
        continue
      }
      for byte in place { isRead[byte] = true }

      do throws(SlowFinding) {
        _ = try reader.readStateRecord(&cursor, of: record)
      } catch {
        report(error)
      }
    }
    return reader.usedKeys
  }
}
