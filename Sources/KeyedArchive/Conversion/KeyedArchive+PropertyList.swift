extension KeyedArchive {
  /// Returns any property list as a graph: each of its objects is one of the graph's, so that shared containers stay
  /// shared.
  ///
  /// The entries of a dictionary are the named values; any other list is one value with the name `root`.
  init(plain list: PropertyList, _ context: inout ImportContext) throws(KeyedArchiveError) {
    // The graph's object 0 is nil.
    var objects = [KeyedObject(.bare(.string("$null")))]
    for number in list.objects.indices {
      let offset = list.offset(of: number)
      let object = list[number]
      try context.create(1 + (object.contents?.count ?? 0), at: offset)
      if list.lost.contains(number) {
        objects.append(.lost(number, at: offset))
        continue
      }
      let content: KeyedObject.Content =
        switch object {
        case .null: .bare(.null)
        case .bool(let value): .bare(.bool(value))
        case .integer(let value): .bare(.integer(value))
        case .real(let value): .bare(.real(value))
        case .date(let seconds): .date(seconds)
        case .data(let bytes): .data(bytes)
        case .string(let text): .string(text)
        case .uid(let uid): .record([KeyedField(key: "value", value: .integer(Int128(uid)))])
        case .array(let numbers): .array(numbers.map { .object($0 + 1) })
        case .set(let numbers): .set(numbers.map { .object($0 + 1) })
        case .dictionary(let entries): .dictionary(entries.map { KeyedEntry(key: .object($0.key + 1), value: .object($0.value + 1)) })
        }
      let type: KeyedClass? = if case .uid = object { KeyedClass(name: "CF$UID") } else { nil }
      objects.append(KeyedObject(content, type: type, offset: offset))
    }
    var top = [KeyedField(key: "root", value: .object(list.top + 1))]
    if case .dictionary(let entries) = list[list.top] {
      top = entries.map { KeyedField(key: list.text($0.key) ?? "$lost \($0.key)", value: .object($0.value + 1)) }
    }
    self.init(archiver: "", top: top, objects: objects)
    oddities = list.oddities
  }
}
