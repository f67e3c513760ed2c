import RestorationArchive

/// A reader of the graph of a keyed archive from its property list.
struct KeyedArchiveReader {
  private let list: PropertyList
  private let context: ImportContext
  private let archiver: String
  private let topFields: [PropertyList.Entry]
  /// The first thing that our layout does not have.
  private var layoutFault: KeyedArchiveError?
  /// The numbers of the objects in the property list, in the order of the table.
  private let table: [Int]
  private var classes: [Int: KeyedClass] = [:]
  /// Whether a value refers to an object that was lost, which is one behind the last.
  private var hasLostReferences = false

  init(_ list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) {
    (self.list, self.context) = (list, context)
    guard KeyedArchive.isArchive(list), case .dictionary(let entries) = list[list.top],
      let archiver = list.value("$archiver", of: list.top).flatMap(list.text),
      let topNumber = list.value("$top", of: list.top), case .dictionary(let top) = list[topNumber],
      let tableNumber = list.value("$objects", of: list.top), case .array(let table) = list[tableNumber]
    else {
      throw KeyedArchiveError(
        .notKeyedArchive, at: list.offset(of: list.top), "keyed archive",
        expected: "a dictionary with the string $archiver, the array $objects and the dictionary $top")
    }
    let version = list.value("$version", of: list.top)
    // What was lost is said already.
    guard version.map({ list[$0] }) == .integer(100_000) || version.map(list.lost.contains) == true else {
      throw KeyedArchiveError(.archiveVersion, at: list.offset(of: list.top), "$version", expected: "100000")
    }
    guard let first = table.first, list.text(first)?.isSameText(as: "$null") == true || list.lost.contains(first) else {
      throw KeyedArchiveError(.objectFields, at: list.offset(of: tableNumber), "object 0", expected: "$null")
    }
    let others = entries.filter { list.text($0.key).map { Self.keys.contains($0.asKnownName) } != true }
    guard entries.count - others.count == Self.keys.count else {
      throw KeyedArchiveError(.notKeyedArchive, at: list.offset(of: list.top), "keyed archive", expected: "each of its keys once")
    }
    (self.archiver, topFields, self.table) = (archiver, top + others, table)
    guard !others.isEmpty else { return }
    let expected = Self.keys.sorted().joined(separator: ", ")
    let fault = KeyedArchiveError(.notKeyedArchive, at: list.offset(of: list.top), "keyed archive", expected: "the keys \(expected)")
    try context.accept(fault, as: "the values of other keys are named values")
    layoutFault = fault
  }

  /// The keys of the outermost dictionary.
  private static let keys: Set = ["$archiver", "$objects", "$top", "$version"]

  /// Reads the graph.
  mutating func read() throws(KeyedArchiveError) -> KeyedArchive {
    for (number, place) in table.enumerated() {
      guard case .dictionary(let entries) = list[place] else { continue }
      // Looking for a key takes time, and the table may name one large dictionary many times.
      try context.spend(entries.count, at: list.offset(of: place))
      guard let name = list.value("$classname", of: place) else { continue }
      do throws(KeyedArchiveError) {
        classes[number] = try classDescription(name, entries, of: place)
      } catch {
        try context.lose(error, as: "the class is lost")
      }
    }
    var objects: [KeyedObject] = []
    objects.reserveCapacity(table.count)
    for (number, place) in table.enumerated() {
      try context.create(at: list.offset(of: place))
      if list.lost.contains(place) {
        objects.append(.lost(number, at: list.offset(of: place)))
        continue
      }
      do throws(KeyedArchiveError) {
        objects.append(try object(number, at: place))
      } catch {
        try context.lose(error, as: "the object is lost")
        objects.append(.lost(number, at: list.offset(of: place)))
      }
    }
    var top: [KeyedField] = []
    for entry in topFields { top.append(try field(entry)) }
    if hasLostReferences { objects.append(.lost(table.count)) }
    var archive = KeyedArchive(archiver: archiver, top: top, objects: objects)
    archive.layoutFault = layoutFault
    return archive
  }

  private mutating func classDescription(
    _ name: Int, _ entries: [PropertyList.Entry], of place: Int
  ) throws(KeyedArchiveError) -> KeyedClass {
    guard let text = list.text(name) else { throw fault(at: place, "$classname", "a string") }
    var names: Set = ["$classname", "$classes"]
    var others: [KeyedField] = []
    for entry in entries where names.remove(list.text(entry.key)?.asKnownName ?? "") == nil { others.append(try field(entry)) }
    guard others["$classname"] == nil, others["$classes"] == nil else { throw fault(at: place, "description of a class", "each key once") }
    guard let number = list.value("$classes", of: place) else { return KeyedClass(name: text, names: [], others: others) }
    guard case .array(let elements) = list[number], elements.allSatisfy({ list.text($0) != nil }) else {
      throw fault(at: place, "$classes", "an array of strings")
    }
    try context.spend(elements.count, at: list.offset(of: place))
    return KeyedClass(name: text, names: elements.compactMap(list.text), others: others)
  }

  /// Returns the description of a class; nil if the object with this number is none.
  private func description(_ uid: UInt32) -> KeyedClass? { Int(exactly: uid).flatMap { classes[$0] } }

  private func fault(at place: Int, _ subject: String, _ expected: String) -> KeyedArchiveError {
    KeyedArchiveError(.objectFields, at: list.offset(of: place), subject, expected: expected)
  }

  // MARK: Objects

  private mutating func object(_ number: Int, at place: Int) throws(KeyedArchiveError) -> KeyedObject {
    let offset = list.offset(of: place)
    if let description = classes[number] { return KeyedObject(.classDescription(description), at: offset) }
    guard case .dictionary(let entries) = list[place], let classPlace = list.value("$class", of: place) else {
      // Its number in the table says that it is an object: a UID would be a reference to another one.
      if case .uid = list[place] { throw fault(at: place, "object \(number)", "an object, not a uid") }
      return KeyedObject(.bare(try value(place)), at: offset)
    }
    var fields: [KeyedField] = []
    for entry in entries where entry.value != classPlace || list.text(entry.key)?.isSameText(as: "$class") != true {
      fields.append(try field(entry))
    }
    do throws(KeyedArchiveError) {
      guard case .uid(let uid) = list[classPlace], let type = description(uid) else {
        throw fault(at: place, "$class", "the number of the description of a class")
      }
      return KeyedObject(try content(type.name, fields, place), type: type, at: offset)
    } catch {
      try context.lose(error, as: "the fields of the object are kept without its class")
      return .lost(number, fields, at: offset)
    }
  }

  private mutating func field(_ entry: PropertyList.Entry) throws(KeyedArchiveError) -> KeyedField {
    KeyedField(key: list.key(of: entry), value: try value(entry.value))
  }

  /// Returns the value of an object of the property list.
  ///
  /// The depth of the property list, which was checked, limits the recursion. An array or dictionary in line that is
  /// shared is copied for each use, at the expense of the context.
  private mutating func value(_ number: Int) throws(KeyedArchiveError) -> KeyedValue {
    try context.create(at: list.offset(of: number))
    if list.lost.contains(number) { return lostReference() }
    switch list[number] {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .string(let text): return .string(text)
    case .uid(0): return .null
    case .uid(let uid):
      guard uid < table.count else {
        let fault = KeyedArchiveError(
          .objectIndex, at: list.offset(of: number), "uid", expected: "less than \(table.count)", found: "\(uid)")
        try context.lose(fault, as: "the object is lost")
        return lostReference()
      }
      return .object(Int(uid))
    case .array(let elements), .set(let elements):
      if case .set = list[number] { noteSet(number) }
      var values: [KeyedValue] = []
      for element in elements { values.append(try value(element)) }
      return .array(values)
    case .dictionary(let entries):
      var fields: [KeyedField] = []
      for entry in entries { fields.append(try field(entry)) }
      return .dictionary(fields)
    }
  }

  /// Notes a set in line, which our layout does not have; not in the function that is recursive, whose frame would be larger.
  @inline(never)
  private mutating func noteSet(_ number: Int) {
    layoutFault = layoutFault ?? KeyedArchiveError(.archiveLayout, at: list.offset(of: number), "set", expected: "an array")
  }

  private mutating func lostReference() -> KeyedValue {
    hasLostReferences = true
    return .object(table.count)
  }

  // MARK: Foundation's classes

  /// Returns the value that an object of a known class is; a record if its class or any of its fields is another one.
  private func content(_ name: String, _ fields: [KeyedField], _ place: Int) throws(KeyedArchiveError) -> KeyedObject.Content {
    switch name.asKnownName {
    case "NSNull": if fields.isEmpty { return .null }
    case "NSString", "NSMutableString":
      if case .string(let text) = scalar(fields.only("NS.string")) { return .string(text) }
      if case .data(let bytes) = scalar(fields.only("NS.bytes")) {
        // Several strings may share the data, and each has a copy.
        try context.spend(bytes.count, at: list.offset(of: place))
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
      }
    case "NSData", "NSMutableData":
      if case .data(let bytes) = scalar(fields.only("NS.data") ?? fields.only("NS.bytes")) { return .data(bytes) }
    case "NSDate":
      switch scalar(fields.only("NS.time")) {
      case .real(let seconds): return .date(seconds)
      case .integer(let integer): if let seconds = Double(exactly: integer) { return .date(seconds) }
      default: break
      }
    case "NSURL":
      let base = fields["NS.base"]
      if fields.count == (base == nil ? 1 : 2), let text = try text(fields["NS.relative"]) {
        return .url(base: base ?? .null, relative: text)
      }
    case "NSUUID":
      if case .data(let bytes) = scalar(fields.only("NS.uuidbytes")) {
        guard bytes.count == 16 else { throw fault(at: place, "NS.uuidbytes", "16 bytes") }
        return .uuid(bytes)
      }
    case "NSArray", "NSMutableArray": if let elements = elements(fields) { return .array(elements) }
    case "NSSet", "NSMutableSet": if let elements = elements(fields) { return .set(elements) }
    case "NSOrderedSet", "NSMutableOrderedSet": if let elements = elements(fields) { return .orderedSet(elements) }
    case "NSDictionary", "NSMutableDictionary":
      if fields.count == 2, case .array(let keys) = fields["NS.keys"], case .array(let values) = fields["NS.objects"] {
        guard keys.count == values.count else { throw fault(at: place, "NS.objects", "as many as NS.keys") }
        return .dictionary(zip(keys, values).map { KeyedEntry(key: $0, value: $1) })
      }
    default: break
    }
    return .record(fields)
  }

  /// Returns a value in line, or that of the bare object that a UID refers to.
  private func scalar(_ value: KeyedValue?) -> KeyedValue? {
    guard case .object(let number) = value, number < table.count else { return value }
    return switch list[table[number]] {
    case .string(let text): .string(text)
    case .data(let bytes): .data(bytes)
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    default: nil
    }
  }

  /// Returns the text of a string: in line, bare, or in an object of its own.
  private func text(_ value: KeyedValue?) throws(KeyedArchiveError) -> String? {
    if case .string(let text) = scalar(value) { return text }
    guard case .object(let number) = value, number < table.count, case .dictionary(let entries) = list[table[number]] else { return nil }
    // Any number of objects may refer to one large dictionary.
    try context.spend(entries.count, at: list.offset(of: table[number]))
    guard entries.count == 2, let classPlace = list.value("$class", of: table[number]), case .uid(let uid) = list[classPlace],
      let name = description(uid)?.name.asKnownName, ["NSString", "NSMutableString"].contains(name)
    else { return nil }
    return list.value("NS.string", of: table[number]).flatMap(list.text)
  }

  /// Returns the elements of a collection: one array, or a field for each, as ordered sets have them.
  private func elements(_ fields: [KeyedField]) -> [KeyedValue]? {
    if case .array(let elements) = fields.only("NS.objects") { return elements }
    var elements = [KeyedValue?](repeating: nil, count: fields.count)
    for field in fields {
      let key = field.key.asKnownName
      guard key.beginsWith("NS.object."), let index = Int(key.dropFirst(10)), elements.indices.contains(index), elements[index] == nil
      else { return nil }
      elements[index] = field.value
    }
    return elements.compactMap { $0 }
  }
}

extension PropertyList {
  /// Returns the entries of a dictionary as named values of the graph of the list, in which the objects have other places; nil
  /// for another object.
  func fields(of number: Int, _ places: [Int]) -> [KeyedField]? {
    guard case .dictionary(let entries) = self[number] else { return nil }
    return entries.map { KeyedField(key: key(of: $0), value: .object(places[$0.value] + 1)) }
  }
}

extension KeyedArchive {
  /// Returns any property list as a graph: each of its objects is one of the graph's, so that shared containers stay
  /// shared.
  ///
  /// The entries of a dictionary are the named values; any other list is one value with the name `root`.
  init(plain list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) {
    // Nothing leads to the objects of a keyed archive without its table, so all are kept. Of any other list the reached ones are.
    let isTableLost = context.tolerance == .salvage && Self.isArchive(list)
    let all = Array(list.objects.indices)
    let (order, places) = isTableLost ? (all, all) : list.objects.reached(from: list.top)
    // The graph's object 0 is nil.
    var objects = [KeyedObject(.bare(.string("$null")))]
    for number in order {
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
        case .array(let numbers): .array(numbers.map { .object(places[$0] + 1) })
        case .set(let numbers): .set(numbers.map { .object(places[$0] + 1) })
        case .dictionary(let entries):
          .dictionary(entries.map { KeyedEntry(key: .object(places[$0.key] + 1), value: .object(places[$0.value] + 1)) })
        }
      let type: KeyedClass? = if case .uid = object { KeyedClass(name: "CF$UID") } else { nil }
      objects.append(KeyedObject(content, type: type, at: offset))
    }
    let top = list.fields(of: list.top, places) ?? [KeyedField(key: "root", value: .object(places[list.top] + 1))]
    self.init(archiver: "", top: top, objects: objects)
    oddities = list.oddities
    listNumbers = order
    if isTableLost { strays = findStrays() }
  }
}
