import FoundationValues
package import RestorationArchive

/// Converts the graph of a keyed archive to the state of a node (`Spec/imports.md`, section 3).
package struct GraphConverter {
  /// The deepest nesting in a state.
  private static let maximumDepth = 120
  private static let keyLimit = 65_535

  private let archive: KeyedArchive
  private let survey: GraphSurvey
  /// Returns the path that an object stands for, if it is a reference.
  private let reference: (KeyedObject) -> RestorationPath?
  /// The objects that are to be written out of line.
  private var pending: [Int] = []
  private var requested: Set<Int> = []

  package init(_ archive: KeyedArchive, reference: @escaping (KeyedObject) -> RestorationPath? = { _ in nil }) {
    self.archive = archive
    self.reference = reference
    survey = GraphSurvey(archive)
  }

  /// Whether an object is written out of line, because it is shared, nested deeply or on a circle.
  package private(set) var hasOutOfLineObjects = false

  /// The number of collections and records that are referred to several times, and small enough to be copied.
  var copiedObjectCount: Int {
    archive.objects.indices.count { survey.isCopied($0) && reference(archive.objects[$0]) == nil }
  }

  /// Returns some fields as a state, with the objects that they need out of line.
  ///
  /// - Throws: `import-depth` for arrays in line that are nested too deeply; the limits of the context.
  package mutating func state(
    of top: [KeyedField], _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> ArchiveDictionary {
    requested.removeAll()
    var entries: [(String, ArchiveValue)] = []
    var others: [ArchiveValue] = []
    var keys: Set<[UInt8]> = []
    for field in top {
      let converted = try value(field.value, depth: 1, &context)
      let key = field.key.isEmpty || field.key.hasPrefix("$") ? "$" + field.key : field.key
      if key.utf8.count <= Self.keyLimit, keys.insert(Array(key.utf8)).inserted {
        entries.append((key, converted))
      } else {
        others.append([.string(field.key), converted])
      }
    }
    if !others.isEmpty { entries.append(("$entries", .array(others))) }
    var objects: [(String, ArchiveValue)] = []
    while let number = pending.popLast() { objects.append(("\(number)", try content(of: number, depth: 1, &context))) }
    if !objects.isEmpty {
      hasOutOfLineObjects = true
      entries.append(("$objects", .dictionary(ArchiveDictionary(objects))))
    }
    return ArchiveDictionary(entries)
  }

  // MARK: Values

  /// Converts a value; ``GraphSurvey`` limits the height of objects, and the check of `depth` that of arrays in line.
  private mutating func value(
    _ value: KeyedValue, depth: Int, _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> ArchiveValue {
    try context.create(at: nil)
    guard depth <= Self.maximumDepth else {
      throw KeyedArchiveError(.depthLimit, at: nil, "nesting", expected: "at most \(Self.maximumDepth) levels", found: "more")
    }
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return Self.integer(value)
    case .real(let value): return .float(value)
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(Data(bytes))
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .array(let values): return .array(try self.values(values, depth: depth, &context))
    case .dictionary(let fields): return try dictionary(fields.map { (.string($0.key), $0.value) }, depth: depth, &context)
    case .object(let number):
      guard survey.isOutOfLine[number] else { return try content(of: number, depth: depth, &context) }
      if requested.insert(number).inserted { pending.append(number) }
      return .dictionary(["$object": .integer(number)])
    }
  }

  private static func integer(_ value: Int128) -> ArchiveValue {
    ArchiveInteger(exactly: value).map { .integer($0) } ?? .dictionary(["$integer": .string("\(value)")])
  }

  private mutating func values(
    _ values: [KeyedValue], depth: Int, _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> [ArchiveValue] {
    var converted: [ArchiveValue] = []
    converted.reserveCapacity(values.count)
    for element in values { converted.append(try value(element, depth: depth + 1, &context)) }
    return converted
  }

  private mutating func content(
    of number: Int, depth: Int, _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> ArchiveValue {
    let object = archive.objects[number]
    if let path = reference(object) { return .reference(path) }
    switch object.content {
    case .null: return .null
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(Data(bytes))
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid(let bytes): return .uuid(UUID(bytes: bytes))
    case .url(base: .null, let text): return .url(text)
    case .url(let base, let text):
      return .dictionary([
        "$class": "NSURL", "NS.base": try value(base, depth: depth + 1, &context), "NS.relative": .string(text),
      ])
    case .array(let values), .set(let values), .orderedSet(let values): return .array(try self.values(values, depth: depth, &context))
    case .dictionary(let entries): return try dictionary(entries.map { ($0.key, $0.value) }, depth: depth, &context)
    case .bare(let bare):
      if case .object = bare { return .null }
      return try value(bare, depth: depth, &context)
    case .classDescription(let description):
      return .dictionary(["$classes": .array(description.names.map { .string($0) })])
    case .record(let fields): return try record(object.type?.name ?? "", fields, depth: depth, &context)
    }
  }

  // MARK: Dictionaries and records

  /// Converts entries to a dictionary if all keys are different strings that our tags do not use, else to a list of
  /// pairs (rule R-K3-3).
  private mutating func dictionary(
    _ entries: [(key: KeyedValue, value: KeyedValue)], depth: Int, _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> ArchiveValue {
    var pairs: [(String, ArchiveValue)] = []
    var isPlain = true
    var converted: [ArchiveValue] = []
    for entry in entries {
      let value = try value(entry.value, depth: depth + 1, &context)
      if let key = archive.string(entry.key), !key.hasPrefix("$"), key.utf8.count <= Self.keyLimit {
        pairs.append((key, value))
      } else {
        isPlain = false
      }
      converted.append(value)
    }
    if isPlain {
      let dictionary = ArchiveDictionary(pairs)
      if dictionary.count == pairs.count { return .dictionary(dictionary) }
    }
    var list: [ArchiveValue] = []
    for (entry, value) in zip(entries, converted) {
      list.append([try self.value(entry.key, depth: depth + 2, &context), value])
    }
    return .dictionary(["$entries": .array(list)])
  }

  private mutating func record(
    _ name: String, _ fields: [KeyedField], depth: Int, _ context: inout ImportContext
  ) throws(KeyedArchiveError) -> ArchiveValue {
    if context.isReadable, let value = ReadableObject(fields, in: archive).value(ofClass: name) { return value }
    var pairs: [(String, ArchiveValue)] = []
    var others: [ArchiveValue] = []
    var names: Set<[UInt8]> = []
    for field in fields {
      let value = try value(field.value, depth: depth + 1, &context)
      if Self.isPlainField(field.key), names.insert(Array(field.key.utf8)).inserted {
        pairs.append((field.key, value))
      } else {
        others.append([.string(field.key), value])
      }
    }
    pairs.append(("$class", .string(name)))
    if !others.isEmpty { pairs.append(("$fields", .array(others))) }
    return .dictionary(ArchiveDictionary(pairs))
  }

  /// Whether a field has a name that our tags do not use; names such as `$0` are those of values without a key.
  private static func isPlainField(_ key: String) -> Bool {
    guard key.utf8.count <= keyLimit else { return false }
    return !key.hasPrefix("$") || (key.utf8.count > 1 && key.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
  }
}
