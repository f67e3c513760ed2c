/// A property list as a table of objects that refer to each other by number, as in the binary form.
///
/// Containers hold numbers and not values, so that a list whose objects are shared takes memory in proportion to its
/// file, and a reader that follows references decides itself how far it goes.
///
///     let list = try PropertyList(decoding: bytes)
///     if case .dictionary(let entries) = list[list.top] { … }
public struct PropertyList: Sendable {
  /// An entry of a dictionary: the numbers of two objects.
  public struct Entry: Sendable, Hashable {
    /// The number of the key, a string.
    public let key: Int
    /// The number of the value.
    public let value: Int

    /// Creates an entry.
    public init(key: Int, value: Int) {
      self.key = key
      self.value = value
    }
  }

  /// An object of a property list.
  public enum Object: Sendable, Hashable {
    /// A null, which only the binary form has.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// An integer.
    case integer(Int128)
    /// A floating-point number.
    case real(Double)
    /// A date, in seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A string.
    case string(String)
    /// A UID: in a keyed archive the number of an object.
    case uid(UInt32)
    /// The numbers of the elements.
    case array([Int])
    /// The numbers of the members.
    case set([Int])
    /// The entries, in file order; keys are strings.
    ///
    /// A key occurs once, unless ``PropertyList/oddities`` says otherwise.
    case dictionary([Entry])
  }

  /// The objects.
  public private(set) var objects: [Object] = []
  /// The number of the outermost object.
  public var top = 0
  /// The oddities of the file it was read from, in the order of their first places.
  public internal(set) var oddities: [PropertyListOddity] = []
  /// The numbers of the objects that were lost in a list that was salvaged; each is a null.
  package internal(set) var lost: Set<Int> = []
  /// The offset of each object in the file it was read from; empty for a list that was built.
  ///
  /// For data and text it is the offset of the first byte of the content.
  package private(set) var offsets: [Int] = []

  /// Creates a list without objects.
  ///
  /// Add the contents of a container before the container, and set ``top`` to the outermost one.
  public init() {}

  init(objects: [Object], offsets: [Int], top: Int) { (self.objects, self.offsets, self.top) = (objects, offsets, top) }

  /// The object with a number.
  ///
  /// - Precondition: The number is that of an object.
  public subscript(_ number: Int) -> Object { objects[number] }

  /// Adds an object.
  ///
  /// - Returns: Its number.
  public mutating func add(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  mutating func add(_ object: Object, at offset: Int) -> Int {
    offsets.append(offset)
    return add(object)
  }

  /// Returns the list with only the objects that the top object reaches, in the order in which they are found.
  ///
  /// - Throws: `top-object`, `object-reference` for a number that is not that of an object.
  /// - Complexity: O(n) in the number of objects and references.
  func reachable() throws(KeyedArchiveError) -> PropertyList {
    guard objects.indices.contains(top) else {
      throw KeyedArchiveError(.topObject, at: nil, "top object", expected: "less than \(objects.count)", found: "\(top)")
    }
    for (container, object) in objects.enumerated() {
      for number in object.contents ?? [] where !objects.indices.contains(number) {
        let place = offset(of: container)
        throw KeyedArchiveError(
          .objectReference, at: place, "object reference", expected: "less than \(objects.count)", found: "\(number)")
      }
    }
    let (order, numbers) = objects.reached(from: top)
    let renumbered = order.map { objects[$0].replacingContents { numbers[$1] } }
    return PropertyList(objects: renumbered, offsets: offsets.isEmpty ? [] : order.map { offset(of: $0) ?? 0 }, top: 0)
  }

  /// Returns the offset of an object in its file, if it has one.
  package func offset(of number: Int) -> Int? { number < offsets.count ? offsets[number] : nil }

  /// Returns the text of a string object, or nil for another object.
  package func text(_ number: Int) -> String? {
    if case .string(let text) = objects[number] { text } else { nil }
  }

  /// Returns the key of an entry, or a name for one that was lost (`Spec/imports.md`, rule R-K2-8).
  func key(of entry: Entry) -> String { text(entry.key) ?? "$lost \(entry.key)" }

  /// Returns the value under a key of a dictionary object, or nil.
  ///
  /// - Complexity: O(n) in the number of entries.
  package func value(_ key: String, of number: Int) -> Int? {
    guard case .dictionary(let entries) = objects[number] else { return nil }
    return entries.first { text($0.key)?.utf8.elementsEqual(key.utf8) == true }?.value
  }

  /// The form of some content: the first bytes decide.
  package enum Form {
    /// A binary property list.
    case binary
    /// An XML property list.
    case xml
    /// An old-style list, or a table of strings.
    case oldStyle
  }

  /// Returns the form of a property list, or nil if the content does not look like one.
  package static func form(of bytes: [UInt8]) -> Form? {
    if bytes.starts(with: BinaryPropertyListReader.magic) { return .binary }
    if PropertyListText.beginsAsPropertyList(bytes) { return .xml }
    return OldStyleListReader.begins(bytes) ? .oldStyle : nil
  }

  /// The number of bytes that decide about the form.
  package static let headByteCount = PropertyListText.headByteCount

  /// Reads a binary, XML or old-style property list.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The resources that reading may take.
  ///   - tolerance: The faults that are read nevertheless, and are in ``oddities``. An object that is lost is a null.
  /// - Throws: An error with its offset for anything that is not a property list, or exceeds the limits; for a list that is
  ///   salvaged, only if nothing is whole.
  /// - Complexity: O(n) in the length of the file, whatever it contains.
  public init(
    decoding bytes: [UInt8], limits: ImportLimits = .standard, tolerance: ImportTolerance = .oddities
  ) throws(KeyedArchiveError) {
    try self.init(decoding: bytes, ImportContext(limits, byteCount: bytes.count, tolerance))
  }

  /// Reads a property list within the rest of a file's resources.
  package init(decoding bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) {
    // Those of a list that could not be read are no concern of this one.
    _ = context.takeOddities()
    // Many places may share one list, of which no object pays for the bytes between the objects.
    try context.spend(bytes.count, at: nil)
    context.lookForTag(in: bytes)
    switch Self.form(of: bytes) {
    case .binary:
      var reader = BinaryPropertyListReader(bytes, context)
      self = try reader.read()
    case .xml:
      var reader = XMLPropertyListReader(bytes, context)
      self = try reader.read()
    case .oldStyle:
      var reader = OldStyleListReader(bytes, context)
      self = try reader.read()
    case nil:
      throw KeyedArchiveError(
        .notPropertyList, at: 0, "property list", expected: "bplist0, <?xml or an old-style list",
        found: OtherFormat(bytes)?.words ?? "")
    }
    oddities = context.takeOddities()
    lookForTag(context)
  }

  /// Looks for the tag of sensitive values among the objects, however the file spells it, and in data, which may be another list.
  private func lookForTag(_ context: ImportContext) {
    for object in objects where !context.hidesValues {
      switch object {
      case .string(let text): context.hidesValues = text.utf8.elementsEqual(ImportContext.sensitiveTag.utf8)
      case .data(let bytes): context.lookForTag(in: bytes)
      default: break
      }
    }
  }
}

extension PropertyList {
  /// Checks the list as a whole: keys are strings and occur once, no container contains itself, and the nesting depth is
  /// within the limit.
  ///
  /// - Parameters:
  ///   - context: The state of the import.
  ///   - isUnreadable: Which objects could not be read, to which nothing that the top object reaches refers; none if empty.
  /// - Throws: The first fault.
  /// - Complexity: O(n) in the number of objects and references.
  func validateShape(_ context: ImportContext, isUnreadable: [Bool] = []) throws(KeyedArchiveError) {
    try validateKeys(isUnreadable, context)
    try validateNesting(depth: context.depth)
  }

  private func validateKeys(_ isUnreadable: [Bool], _ context: ImportContext) throws(KeyedArchiveError) {
    // Each text is hashed once, whatever number of dictionaries uses it: equal texts get one number. A dictionary that
    // has seen a number already has a repeated key.
    var numbers: [[UInt8]: Int] = [:]
    var numberOfObject = [Int](repeating: -1, count: objects.count)
    var lastUser: [Int] = []
    for (container, object) in objects.enumerated() {
      guard case .dictionary(let entries) = object else { continue }
      for entry in entries where isUnreadable.isEmpty || !isUnreadable[entry.key] {
        if numberOfObject[entry.key] < 0 {
          guard let text = self.text(entry.key) else {
            let fault = KeyedArchiveError(.keyType, at: offset(of: container), "dictionary key", expected: "a string")
            try context.lose(fault, as: "the entries are kept as pairs")
            continue
          }
          try context.spend(text.utf8.count, at: offset(of: entry.key))
          let number = numbers[Array(text.utf8), default: lastUser.count]
          if number == lastUser.count {
            numbers[Array(text.utf8)] = number
            lastUser.append(-1)
          }
          numberOfObject[entry.key] = number
        }
        if lastUser[numberOfObject[entry.key]] == container {
          let fault = KeyedArchiveError(.repeatedKey, at: offset(of: container), "dictionary", expected: "each key once")
          try context.accept(fault, as: "all values are kept")
        }
        lastUser[numberOfObject[entry.key]] = container
      }
    }
  }

  private func validateNesting(depth limit: Int) throws(KeyedArchiveError) {
    // The number of containers inside each other, from each container inward and counting itself; 0 for other objects.
    var heights = [Int](repeating: 0, count: objects.count)
    try visitOutwards(objects.indices, count: objects.count, contents: { objects[$0].contents }) {
      number, contents throws(KeyedArchiveError) in
      let height = contents.reduce(0) { max($0, heights[$1]) }
      guard height < limit else { throw .depthLimit(limit, at: offset(of: number)) }
      heights[number] = height + 1
    } cycle: { _, _, container throws(KeyedArchiveError) in
      throw .containerCycle(at: offset(of: container))
    }
  }
}

extension KeyedArchiveError {
  static func containerCycle(at offset: Int?) -> KeyedArchiveError {
    KeyedArchiveError(.containerCycle, at: offset, "container", expected: "one that does not contain itself")
  }
}

extension [PropertyList.Object] {
  /// Returns the numbers of the objects that one object reaches, in the order of the search, and the place of each object in
  /// that order; -1 for an object that is not reached.
  func reached(from top: Int) -> (order: [Int], places: [Int]) {
    var places = [Int](repeating: -1, count: count)
    var order = [top]
    places[top] = 0
    var next = 0
    while next < order.count {
      for child in self[order[next]].contents ?? [] where places[child] < 0 {
        places[child] = order.count
        order.append(child)
      }
      next += 1
    }
    return (order, places)
  }
}

/// Visits objects and all that they contain, each once and after its contents; a stack takes the place of recursion.
///
/// - Parameters:
///   - starts: The numbers of the first objects.
///   - count: The number of all objects.
///   - contents: Returns the numbers of the objects in an object; nil for one that is not to be visited.
///   - leave: Receives each object with its contents.
///   - cycle: Receives an object, a place in its contents, and the number there, which is that of an object around it.
/// - Throws: The error of `leave` or `cycle`.
func visitOutwards<Failure: Error>(
  _ starts: some Sequence<Int>, count: Int, contents: (Int) -> [Int]?, leave: (Int, [Int]) throws(Failure) -> Void,
  cycle: (Int, Int, Int) throws(Failure) -> Void
) throws(Failure) {
  var isBegun = [Bool](repeating: false, count: count)
  var isLeft = isBegun
  for start in starts where !isBegun[start] {
    guard let outermost = contents(start) else { continue }
    isBegun[start] = true
    var visits = [(number: start, contents: outermost, next: 0)]
    while let visit = visits.last {
      guard visit.next < visit.contents.count else {
        visits.removeLast()
        isLeft[visit.number] = true
        try leave(visit.number, visit.contents)
        continue
      }
      visits[visits.count - 1].next += 1
      let child = visit.contents[visit.next]
      if isBegun[child] {
        if !isLeft[child] { try cycle(visit.number, visit.next, child) }
      } else if let inner = contents(child) {
        isBegun[child] = true
        visits.append((child, inner, 0))
      }
    }
  }
}

extension PropertyList.Object {
  /// The numbers of the objects in a container, keys first; nil for other objects.
  package var contents: [Int]? {
    switch self {
    case .array(let numbers), .set(let numbers): numbers
    case .dictionary(let entries): entries.map(\.key) + entries.map(\.value)
    default: nil
    }
  }

  /// Returns the object with other numbers in its contents; `number` receives a place in ``contents``, and the number there.
  func replacingContents(_ number: (_ place: Int, _ old: Int) -> Int) -> PropertyList.Object {
    switch self {
    case .array(let numbers): .array(numbers.enumerated().map(number))
    case .set(let numbers): .set(numbers.enumerated().map(number))
    case .dictionary(let entries):
      .dictionary(
        entries.enumerated().map { .init(key: number($0, $1.key), value: number(entries.count + $0, $1.value)) })
    default: self
    }
  }
}
