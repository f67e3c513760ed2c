public import FoundationValues
public import RestorationArchive

extension ArchiveTree {
  /// Returns the archive as a binary keyed archive that Foundation's `NSKeyedUnarchiver` reads (`Spec/keyed-archive.md`,
  /// section 4).
  ///
  /// Reading it with ``ImportedArchive`` gives an equal tree.
  ///
  ///     let data = try tree.keyedArchive()
  ///     // On an Apple system:
  ///     let root = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
  ///
  /// - Throws: `not-expressible`, with the reason, if the tree is not one that an archive can store.
  /// - Complexity: O(n log n) in the size of the tree.
  public func keyedArchive() throws(KeyedArchiveError) -> Data { Data(try written(plain: false).encodedBinary()) }

  /// Returns the archive as a plain property list, for programs that show one (`Spec/keyed-archive.md`, section 4).
  ///
  /// - Throws: `not-expressible`, with the reason, if the tree is not one that an archive can store.
  /// - Complexity: O(n log n) in the size of the tree.
  public func propertyList() throws(KeyedArchiveError) -> PropertyList { try written(plain: true) }

  private func written(plain: Bool) throws(KeyedArchiveError) -> PropertyList {
    _ = try Result { () throws(ArchiveError) in try encoded() }
      .mapError { KeyedArchiveError(.notExpressible, at: nil, "archive", found: "\($0)") }.get()
    var writer = KeyedTreeWriter(isPlain: plain)
    return writer.propertyList(of: self)
  }
}

/// A writer of the layout, with Foundation's value classes or as a plain property list of the same values.
///
/// The tree is one that an archive can store, so that its depth is limited.
private struct KeyedTreeWriter {
  private var list = PropertyList()
  /// The numbers of the objects in the property list, in the order of the table.
  private var table: [Int] = []
  private var classes: [String: Int] = [:]
  private var scalars: [PropertyList.Object: Int] = [:]
  private var texts: [[UInt8]: Int] = [:]
  private var uids: [Int: Int] = [:]
  private var null: Int?

  /// Whether the list is no keyed archive: the numbers of objects are those of the list.
  private let isPlain: Bool

  init(isPlain: Bool) {
    self.isPlain = isPlain
    table.append(text("$null"))
  }

  mutating func propertyList(of tree: ArchiveTree) -> PropertyList {
    var members: [(key: String, value: Int)] = [(KeyedLayout.version, addScalar(.integer(1)))]
    if tree.minorVersion != 0 { members.append(("minorVersion", integer(tree.minorVersion))) }
    let header = tree.header.entries
    if !header.isEmpty { members.append(("header", add(header))) }
    if !tree.applicationState.isEmpty { members.append(("application", add(tree.applicationState))) }
    if !tree.nodes.isEmpty { members.append(("nodes", add(tree.nodes))) }
    if !tree.sections.isEmpty {
      let sections = tree.sections.map { section in
        addDictionary([("code", addString(section.code)), ("data", addScalar(.data([UInt8](section.data))))])
      }
      members.append(("sections", addArray(sections)))
    }
    let object = addDictionary(members)
    if isPlain {
      list.top = object
      return list
    }
    let top = dictionary([(KeyedLayout.root, reference(object))])
    let parts = [list.add(.integer(100_000)), text("NSKeyedArchiver"), top, list.add(.array(table))]
    list.top = dictionary(zip(["$version", "$archiver", "$top", "$objects"], parts).map { (key: $0, value: $1) })
    return list
  }

  private mutating func integer(_ value: some FixedWidthInteger) -> Int { addScalar(.integer(Int128(value))) }

  private mutating func add(_ nodes: [ArchiveNode]) -> Int {
    let numbers = nodes.map { add($0) }
    return addArray(numbers)
  }

  private mutating func add(_ node: ArchiveNode) -> Int {
    var members: [(key: String, value: Int)] = [("identifier", addString(node.identifier))]
    if let type = node.type { members.append(("type", addString(type))) }
    if node.schemaVersion != 0 { members.append(("schema", integer(node.schemaVersion))) }
    if let origin = node.origin { members.append(("origin", add(origin))) }
    if let provider = node.provider {
      let names = [(key: "name", value: addString(provider.name)), ("identifier", addString(provider.identifier))]
      members.append(("provider", addDictionary(names)))
    }
    if !node.attributes.isEmpty { members.append(("attributes", add(node.attributes))) }
    if !node.state.isEmpty { members.append(("state", add(node.state))) }
    if !node.children.isEmpty { members.append(("children", add(node.children))) }
    return addDictionary(members)
  }

  private mutating func add(_ origin: ArchiveOrigin) -> Int {
    var members: [(key: String, value: Int)] = [("sessionsCarried", integer(origin.sessionsCarried))]
    if let version = origin.bundleVersion { members.append(("bundleVersion", addString(version))) }
    if let timestamp = origin.timestamp {
      members.append(("timestamp", addDate(timestamp.timeIntervalSinceReferenceDate)))
    }
    return addDictionary(members)
  }

  // MARK: Values

  private mutating func add(_ dictionary: ArchiveDictionary) -> Int {
    let entries = dictionary.map { entry in
      let value = add(entry.value)
      return (key: entry.key, value: entry.isSensitive ? addDictionary([(KeyedLayout.sensitive, value)]) : value)
    }
    return addDictionary(entries)
  }

  private mutating func add(_ value: ArchiveValue) -> Int {
    switch value {
    case .null: return addNull()
    case .bool(let value): return addScalar(.bool(value))
    case .integer(let value):
      // One of the two holds every integer of an archive.
      let wide = value.converted(to: Int64.self).map { Int128($0) } ?? Int128(value.converted(to: UInt64.self) ?? 0)
      return addScalar(.integer(wide))
    // Each bit pattern is a number of its own.
    case .float(let value): return addToTable(list.add(.real(value)))
    case .string(let text): return addString(text)
    case .data(let data): return addScalar(.data([UInt8](data)))
    case .date(let date): return addDate(date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid): return addUUID(uuid)
    case .url(let text):
      // As the text of an NSURL, "$null" would need an object of its own, which Foundation does not write.
      guard !text.isSameText(as: KeyedLayout.null), let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else {
        return addDictionary([(KeyedLayout.url, addString(text))])
      }
      return addURL(text)
    case .array(let elements):
      let numbers = elements.map { add($0) }
      return addArray(numbers)
    case .dictionary(let dictionary):
      let number = add(dictionary)
      guard dictionary.count == 1, dictionary[0].key.utf8.first == UInt8(ascii: "$") else { return number }
      return addDictionary([(KeyedLayout.dictionary, number)])
    case .reference(let path):
      let components = path.components.map { addString($0) }
      return addDictionary([(KeyedLayout.reference, addArray(components))])
    }
  }

  // MARK: Objects

  /// Adds a bare number, Boolean value or data, equal ones once; returns its number in the table.
  private mutating func addScalar(_ object: PropertyList.Object) -> Int {
    if let number = scalars[object] { return number }
    let number = addToTable(list.add(object))
    scalars[object] = number
    return number
  }

  /// Adds a string, equal ones once.
  private mutating func addString(_ value: String) -> Int {
    let bytes = Array(value.utf8)
    if let number = texts[bytes] { return number }
    // A bare "$null" would be nil.
    let isNil = value.isSameText(as: KeyedLayout.null) && !isPlain
    let number = isNil ? addObject("NSString", [("NS.string", text(value))]) : addToTable(text(value))
    texts[bytes] = number
    return number
  }

  private mutating func addNull() -> Int {
    if isPlain { return dictionary([(KeyedLayout.null, list.add(.bool(true)))]) }
    let number = null ?? addObject("NSNull", [])
    null = number
    return number
  }

  private mutating func addDate(_ seconds: Double) -> Int {
    isPlain ? list.add(.date(seconds)) : addObject("NSDate", [("NS.time", list.add(.real(seconds)))])
  }

  private mutating func addUUID(_ uuid: UUID) -> Int {
    if isPlain { return dictionary([(KeyedLayout.uuid, list.add(.string(uuid.uuidString.lowercased())))]) }
    return addObject("NSUUID", [("NS.uuidbytes", list.add(.data(uuid.bytes)))])
  }

  private mutating func addURL(_ text: String) -> Int {
    if isPlain { return dictionary([(KeyedLayout.url, list.add(.string(text)))]) }
    let relative = addString(text)
    return addObject("NSURL", [("NS.base", reference(0)), ("NS.relative", reference(relative))])
  }

  private mutating func addArray(_ numbers: [Int]) -> Int {
    if isPlain { return list.add(.array(numbers)) }
    let elements = numbers.map { reference($0) }
    return addObject("NSArray", [("NS.objects", list.add(.array(elements)))])
  }

  private mutating func addDictionary(_ entries: [(key: String, value: Int)]) -> Int {
    if isPlain { return dictionary(entries) }
    let keys = entries.map { addString($0.key) }
    let (keyList, valueList) = (keys.map { reference($0) }, entries.map { reference($0.value) })
    return addObject("NSDictionary", [("NS.keys", list.add(.array(keyList))), ("NS.objects", list.add(.array(valueList)))])
  }

  // MARK: Parts

  private mutating func addObject(_ name: String, _ fields: [(key: String, value: Int)]) -> Int {
    let type = reference(addClass(name))
    return addToTable(dictionary([("$class", type)] + fields))
  }

  private mutating func addClass(_ name: String) -> Int {
    if let number = classes[name] { return number }
    let names = list.add(.array([text(name), text("NSObject")]))
    let number = addToTable(dictionary([("$classname", text(name)), ("$classes", names)]))
    classes[name] = number
    return number
  }

  /// Returns the number by which others refer to an object of the property list.
  private mutating func addToTable(_ number: Int) -> Int {
    if isPlain { return number }
    table.append(number)
    return table.count - 1
  }

  private mutating func dictionary(_ entries: [(key: String, value: Int)]) -> Int {
    let entries = entries.map { PropertyList.Entry(key: text($0.key), value: $0.value) }
    return list.add(.dictionary(entries))
  }

  /// Returns the number of a string in the property list; few different ones are asked for.
  private mutating func text(_ text: String) -> Int { list.add(.string(text)) }

  private mutating func reference(_ number: Int) -> Int {
    if let uid = uids[number] { return uid }
    let uid = list.add(.uid(UInt32(clamping: number)))
    uids[number] = uid
    return uid
  }
}
