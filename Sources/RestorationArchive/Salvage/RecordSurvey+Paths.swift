import ArchiveFormat

extension RecordSurvey {
  /// Returns the identifier of a record's node; nil if it is unknown.
  func identifier(of index: Int) -> String? {
    let storage = opening.bytes
    return entries[index].identifierRange.flatMap { storage.span.extracting($0).makeString() }
  }

  /// Returns the name of a record's node in the salvaged archive.
  func name(of index: Int) -> String {
    identifier(of: index) ?? LostAndFound.name(ofRecord: index)
  }

  /// Returns the path of a record's node in the salvaged archive; nil if the node is not there.
  func path(of index: Int) -> RestorationPath? {
    guard entries.indices.contains(index) else { return nil }
    var components: [String] = []
    var next = index
    while next > 0 {
      let place = entries[next].place
      if place == .nowhere { return nil }
      components.append(name(of: next))
      if case .child(let parent) = place {
        next = Int(parent)
        continue
      }
      if place == .unplaced { components.append(LostAndFound.name(ofParentOf: next)) }
      components.append(lostAndFoundIdentifier)
      break
    }
    return RestorationPath(unchecked: components.reversed())
  }

  /// Returns the path of a lost record's parent in the salvaged archive, if known.
  func pathOfParent(of index: Int) -> RestorationPath? {
    guard entries.indices.contains(index), entries[index].knownParent >= 0 else { return nil }
    return path(of: Int(entries[index].knownParent))
  }
}
