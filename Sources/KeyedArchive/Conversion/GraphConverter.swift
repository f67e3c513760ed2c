import ArchiveFormat
import FoundationValues
package import RestorationArchive

/// Converts the graph of a keyed archive to the state of a node (`Spec/imports.md`, section 3).
package struct GraphConverter {
  /// The deepest nesting in a state.
  private static let maximumDepth = 120
  private static let keyLimit = FormatLimits.key.upperBound

  private let archive: KeyedArchive
  private let context: ImportContext
  private let survey: GraphSurvey
  /// Returns the path that an object stands for, if it is a reference.
  private let reference: (KeyedObject) -> RestorationPath?
  /// The objects that are to be written out of line.
  private var pending: [Int] = []
  private var requested: Set<Int> = []
  /// The offset of the object that is being converted, for errors.
  private var offset: Int?
  /// Whether an object whose class is lost was converted.
  private var hidesObjects = false

  init(_ archive: KeyedArchive, _ context: ImportContext, reference: @escaping (KeyedObject) -> RestorationPath? = { _ in nil }) {
    (self.archive, self.context) = (archive, context)
    self.reference = reference
    survey = GraphSurvey(archive)
  }

  /// Whether an object is written out of line, because it is shared, nested deeply or on a circle.
  package private(set) var hasOutOfLineObjects = false
  /// The number of objects of a keyed archive to which nothing leads, and that are in no state.
  var leftOutCount: Int { archive.archiver.isEmpty ? 0 : survey.unreachedCount }
  /// Whether a state has objects to which nothing leads any more.
  private(set) var hasStrays = false

  /// The collections and records that are referred to several times, and small enough to be copied.
  private var copiedObjects: Set<Int> = []
  /// The number of collections and records that are copied to several places.
  var copiedObjectCount: Int { copiedObjects.count }

  /// Returns some fields as a state, with the objects that they need out of line.
  ///
  /// - Parameters:
  ///   - top: The fields.
  ///   - strays: Fields whose values are sensitive, because what marked them may be lost, and so is what they share with
  ///     others. They keep their keys before all others.
  /// - Returns: The state.
  /// - Throws: `import-depth` for arrays in line that are nested too deeply; the limits of the context.
  package mutating func state(of top: [KeyedField], strays: [KeyedField] = []) throws(KeyedArchiveError) -> ArchiveDictionary {
    requested.removeAll()
    var entries = try entries(of: strays + top, others: "$entries", depth: 1) { key in
      let key = key.isEmpty || key.beginsWith("$") ? "$" + key : key
      return key.utf8.count <= Self.keyLimit ? key : nil
    }
    var objects: [(String, ArchiveValue)] = []
    while let number = pending.popLast() { objects.append(("\(archive.number(of: number))", try content(of: number, depth: 1))) }
    if !objects.isEmpty {
      hasOutOfLineObjects = true
      entries.append(("$objects", .dictionary(ArchiveDictionary(objects))))
    }
    guard !strays.isEmpty || hidesObjects else { return ArchiveDictionary(entries) }
    hasStrays = hasStrays || !strays.isEmpty
    let hidden = Set(strays.map { "$" + $0.key } + ["$objects"])
    return ArchiveDictionary(
      entries.map { ArchiveDictionary.Entry(key: $0.0, value: $0.1, isSensitive: hidden.contains($0.0.asKnownName)) })
  }

  // MARK: Values

  /// Converts a value; ``GraphSurvey`` limits the height of objects, and the check of `depth` that of arrays in line.
  private mutating func value(_ value: KeyedValue, depth: Int) throws(KeyedArchiveError) -> ArchiveValue {
    try context.create(at: offset)
    guard depth <= Self.maximumDepth else { throw .depthLimit(Self.maximumDepth, at: offset) }
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return ArchiveInteger(exactly: value).map { .integer($0) } ?? .dictionary(["$integer": .string("\(value)")])
    case .real(let value): return .float(value)
    case .string(let text): return .string(try copied(text))
    case .data(let bytes): return .data(Data(try copied(bytes)))
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .array(let values): return .array(try self.values(values, depth: depth))
    case .dictionary(let fields): return try dictionary(fields.map { (.string($0.key), $0.value) }, depth: depth)
    case .object(let number):
      guard survey.isOutOfLine[number] else { return try content(of: number, depth: depth) }
      if requested.insert(number).inserted { pending.append(number) }
      return .dictionary(["$object": .integer(archive.number(of: number))])
    }
  }

  /// Returns a text that becomes part of the result, at the expense of the context: it may be shared by many places.
  private func copied(_ text: String) throws(KeyedArchiveError) -> String {
    try context.spend(text.utf8.count, at: offset)
    return text
  }

  /// Returns bytes that become part of the result, at the expense of the context.
  private func copied(_ bytes: [UInt8]) throws(KeyedArchiveError) -> [UInt8] {
    try context.spend(bytes.count, at: offset)
    return bytes
  }

  private mutating func values(_ values: [KeyedValue], depth: Int) throws(KeyedArchiveError) -> [ArchiveValue] {
    var converted: [ArchiveValue] = []
    converted.reserveCapacity(values.count)
    for element in values { converted.append(try value(element, depth: depth + 1)) }
    return converted
  }

  private mutating func content(of number: Int, depth: Int) throws(KeyedArchiveError) -> ArchiveValue {
    let object = archive.objects[number]
    offset = object.offset
    if let path = reference(object) {
      for component in path.components { _ = try copied(component) }
      return .reference(path)
    }
    if survey.isCopied(number) { copiedObjects.insert(number) }
    switch object.content {
    case .null: return .null
    case .string(let text): return .string(try copied(text))
    case .data(let bytes): return .data(Data(try copied(bytes)))
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid(let bytes): return .uuid(UUID(bytes: bytes))
    // A url has at least one byte (R-5.2-2).
    case .url(base: .null, let text) where !text.isEmpty: return .url(try copied(text))
    case .url(let base, let text):
      return .dictionary([
        "$class": "NSURL", "NS.base": try value(base, depth: depth + 1), "NS.relative": .string(try copied(text)),
      ])
    case .array(let values), .set(let values), .orderedSet(let values): return .array(try self.values(values, depth: depth))
    case .dictionary(let entries): return try dictionary(entries.map { ($0.key, $0.value) }, depth: depth)
    case .bare(let bare):
      if case .object = bare { return .null }
      return try value(bare, depth: depth)
    case .classDescription(let description):
      let names = KeyedField(key: "$classes", value: .array(description.names.map { .string($0) }))
      let fields = [KeyedField(key: "$classname", value: .string(description.name)), names] + description.others
      return try dictionary(fields.map { (.string($0.key), $0.value) }, depth: depth)
    case .record(let fields): return try record(object.type?.name ?? "", fields, depth: depth)
    }
  }

  // MARK: Dictionaries and records

  /// Converts entries to a dictionary if all keys are different strings that our tags do not use, else to a list of
  /// pairs (rule R-K3-3).
  private mutating func dictionary(
    _ entries: [(key: KeyedValue, value: KeyedValue)], depth: Int
  ) throws(KeyedArchiveError) -> ArchiveValue {
    var keys: [TextKey] = []
    for entry in entries {
      guard let key = archive.string(entry.key), !key.beginsWith("$"), key.utf8.count <= Self.keyLimit else { break }
      keys.append(TextKey(try copied(key)))
    }
    var pairs: [(String, ArchiveValue)] = []
    if keys.count == entries.count, Set(keys).count == keys.count {
      for (key, entry) in zip(keys, entries) { pairs.append((key.text, try value(entry.value, depth: depth + 1))) }
      return .dictionary(ArchiveDictionary(pairs))
    }
    // The dictionary, the list and a pair are around each of the values.
    var list: [ArchiveValue] = []
    for entry in entries { list.append([try value(entry.key, depth: depth + 3), try value(entry.value, depth: depth + 3)]) }
    return .dictionary(["$entries": .array(list)])
  }

  private mutating func record(_ name: String, _ fields: [KeyedField], depth: Int) throws(KeyedArchiveError) -> ArchiveValue {
    if context.isReadable, let value = ReadableObject(fields: fields, archive: archive).value(ofClass: name) {
      if case .string(let text) = value { return .string(try copied(text)) }
      return value
    }
    let pairs = try entries(of: fields, others: "$fields", depth: depth + 1) { Self.isPlainField($0) ? $0 : nil }
    // What marked the fields of an object whose class is lost may be lost too.
    let isLost = fields.count > 1 && name.isSameText(as: KeyedObject.lostClass)
    if isLost { hidesObjects = true }
    let marked = pairs.map { ArchiveDictionary.Entry(key: $0.0, value: $0.1, isSensitive: isLost && !$0.0.isSameText(as: "number")) }
    return .dictionary(ArchiveDictionary(marked + [.init(key: "$class", value: .string(try copied(name)))]))
  }

  /// Converts fields to entries under their stored keys.
  ///
  /// Fields without one, and those whose key occurred before, are pairs in a list under the name `others`.
  private mutating func entries(
    of fields: [KeyedField], others name: String, depth: Int, _ stored: (String) -> String?
  ) throws(KeyedArchiveError) -> [(String, ArchiveValue)] {
    var entries: [(String, ArchiveValue)] = []
    var others: [ArchiveValue] = []
    var keys: Set<[UInt8]> = []
    for field in fields {
      _ = try copied(field.key)
      if let key = stored(field.key), keys.insert(Array(key.utf8)).inserted {
        entries.append((key, try value(field.value, depth: depth)))
      } else {
        others.append([.string(field.key), try value(field.value, depth: depth + 2)])
      }
    }
    return entries + (others.isEmpty ? [] : [(name, .array(others))])
  }

  /// Whether a field has a name that our tags do not use; names such as `$0` are those of values without a key.
  private static func isPlainField(_ key: String) -> Bool {
    guard key.utf8.count <= keyLimit else { return false }
    return !key.beginsWith("$") || (key.utf8.count > 1 && key.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
  }
}

/// Finds the objects of a keyed archive that a tree of values cannot contain in place: those on a circle, large ones
/// that are referred to several times, and those that are nested too deeply (rule R-K3-2).
///
/// They are moved out of line. What remains in place is a tree whose size is in proportion to the references.
struct GraphSurvey {
  /// The largest number of values of an object that is copied for each reference: itself, and all values and keys in it.
  static let maximumCopied = 16
  /// The largest height of what is written in place.
  static let maximumHeight = 32

  /// The objects that are written out of line.
  private(set) var isOutOfLine: [Bool]
  /// The number of objects to which nothing leads.
  private(set) var unreachedCount = 0
  private let archive: KeyedArchive
  private var referenceCounts: [Int]

  /// Whether an object that is reached is a collection or a record that is copied to each of several places.
  ///
  /// Empty collections do not count: Foundation shares one empty instance of each class. Equal strings, numbers and other
  /// values without contents are one object in most archives.
  func isCopied(_ number: Int) -> Bool {
    guard referenceCounts[number] > 1, !isOutOfLine[number] else { return false }
    let object = archive.objects[number]
    return switch object.content {
    case .array, .set, .orderedSet, .dictionary: !object.values.isEmpty
    case .record: true
    case .bare, .null, .string, .data, .date, .url, .uuid, .classDescription: false
    }
  }

  /// Surveys all objects that the named values reach, and those to which nothing leads any more.
  ///
  /// - Complexity: O(n) in the size of the archive.
  init(_ archive: KeyedArchive) {
    self.archive = archive
    isOutOfLine = [Bool](repeating: false, count: archive.objects.count)
    referenceCounts = isOutOfLine.map { _ in 0 }
    var roots: [Int] = []
    for field in archive.top + archive.strays { field.value.visitReferences { roots.append($0) } }
    countReferences(from: roots)
    survey(from: roots)
  }

  /// Counts the references to each object in the objects that the named values reach.
  private mutating func countReferences(from roots: [Int]) {
    var rest = roots
    for root in roots { referenceCounts[root] += 1 }
    var isVisited = isOutOfLine
    while let number = rest.popLast() {
      guard !isVisited[number] else { continue }
      isVisited[number] = true
      for value in archive.objects[number].values {
        value.visitReferences {
          referenceCounts[$0] += 1
          rest.append($0)
        }
      }
    }
    unreachedCount = archive.objects.indices.dropFirst().count { !isVisited[$0] && !archive.objects[$0].isDescriptionOrEmpty }
  }

  private mutating func survey(from roots: [Int]) {
    let objects = archive.objects
    // The size in values and the height of each object, written out in its place; nil for an unreached one.
    var extents: [(size: Int, height: Int)?] = objects.map { _ in nil }
    // The number of values in each object other than references.
    var otherCounts = [Int](repeating: 0, count: objects.count)
    func references(of number: Int) -> [Int] {
      var numbers: [Int] = []
      otherCounts[number] = objects[number].values.reduce(objects[number].textWeight) { $0 + $1.visitReferences { numbers.append($0) } }
      return numbers
    }
    visitOutwards(roots, count: objects.count, contents: { references(of: $0) }) { number, contents in
      // An object that only wraps a value costs nothing itself.
      var (size, height) = (otherCounts[number] + 1, 0)
      if case .bare = objects[number].content { size -= 1 }
      for child in contents {
        guard !isOutOfLine[child], let extent = extents[child] else {
          size += 1
          continue
        }
        size = min(size + extent.size, Int.max / 4)
        height = max(height, extent.height + 1)
      }
      extents[number] = (size, height)
      let isLarge = referenceCounts[number] > 1 && size > Self.maximumCopied
      if isLarge || height >= Self.maximumHeight { isOutOfLine[number] = true }
    } cycle: { _, _, child in
      isOutOfLine[child] = true
    }
  }
}
