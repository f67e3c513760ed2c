/// A keyed archive, as Foundation's `NSKeyedArchiver` writes it, as a graph of inert objects.
///
/// Nothing is instantiated, and objects may refer to each other in circles: follow ``KeyedValue/object(_:)`` with an
/// eye on where you have been.
///
///     let archive = try KeyedArchive(decoding: bytes)
///     for field in archive.top { print(field.key, archive.resolve(field.value)) }
public struct KeyedArchive: Sendable {
  /// The name of the archiver, normally `NSKeyedArchiver`.
  public let archiver: String
  /// The named values of the archive.
  public let top: [KeyedField]
  /// The objects; number 0 is the nil object.
  public let objects: [KeyedObject]
  /// The oddities of the property list that it was read from.
  public internal(set) var oddities: [PropertyListOddity] = []

  /// Creates an archive.
  ///
  /// - Precondition: Object 0 is the bare string `$null`.
  public init(archiver: String = "NSKeyedArchiver", top: [KeyedField], objects: [KeyedObject]) {
    self.archiver = archiver
    self.top = top
    self.objects = objects
  }

  /// Reads a keyed archive from a binary or XML property list.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The resources that reading may take.
  ///   - strict: Whether oddities of the property list are refused. If not, they are in ``oddities``.
  /// - Throws: An error with its offset for anything that is not a keyed archive, or exceeds the limits.
  /// - Complexity: O(n) in the length of the file, whatever it contains.
  public init(decoding bytes: [UInt8], limits: ImportLimits = .standard, strict: Bool = false) throws(KeyedArchiveError) {
    var context = ImportContext(limits, byteCount: bytes.count, strict ? .strict : .oddities)
    try self.init(decoding: bytes, &context)
  }

  /// Reads a keyed archive within the rest of a file's resources.
  package init(decoding bytes: [UInt8], _ context: inout ImportContext) throws(KeyedArchiveError) {
    try self.init(PropertyList(decoding: bytes, &context), &context)
  }

  package init(_ list: PropertyList, _ context: inout ImportContext) throws(KeyedArchiveError) {
    var reader = try KeyedArchiveReader(list)
    self = try reader.read(&context)
    oddities = list.oddities + context.takeOddities()
  }

  /// Returns whether a property list looks like a keyed archive.
  package static func isArchive(_ list: PropertyList) -> Bool {
    ["$archiver", "$objects", "$top"].allSatisfy { list.value($0, of: list.top) != nil }
  }

  /// Returns the content that a value stands for: the object that it refers to, or the value itself.
  public func resolve(_ value: KeyedValue) -> KeyedObject.Content {
    if case .object(let number) = value { objects[number].content } else { .bare(value) }
  }

  /// Returns the named value under a key, or nil if there is none.
  public subscript(_ key: String) -> KeyedValue? {
    top.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  // MARK: Values of one type

  /// Returns the string that a value stands for, or nil.
  package func string(_ value: KeyedValue?) -> String? {
    switch value.map(resolve) {
    case .string(let text), .bare(.string(let text)): text
    default: nil
    }
  }

  /// Returns the integer that a value stands for, or nil.
  package func integer(_ value: KeyedValue?) -> Int128? {
    if case .bare(.integer(let number)) = value.map(resolve) { number } else { nil }
  }

  /// Returns the Boolean value that a value stands for, or nil.
  package func bool(_ value: KeyedValue?) -> Bool? {
    switch value.map(resolve) {
    case .bare(.bool(let value)): value
    case .bare(.integer(let number)) where number == 0 || number == 1: number == 1
    default: nil
    }
  }

  /// Returns the seconds of a date that a value stands for, or nil.
  package func date(_ value: KeyedValue?) -> Double? {
    switch value.map(resolve) {
    case .date(let seconds), .bare(.date(let seconds)): seconds
    default: nil
    }
  }

  /// Returns the bytes that a value stands for, or nil.
  package func data(_ value: KeyedValue?) -> [UInt8]? {
    switch value.map(resolve) {
    case .data(let bytes), .bare(.data(let bytes)): bytes
    default: nil
    }
  }

  /// Returns the elements of an array, or of a set too, that a value stands for, or nil.
  package func elements(_ value: KeyedValue?, takesSets: Bool = true) -> [KeyedValue]? {
    switch value.map(resolve) {
    case .array(let values), .bare(.array(let values)): values
    case .set(let values) where takesSets, .orderedSet(let values) where takesSets: values
    default: nil
    }
  }

  /// Returns the entries of a dictionary with string keys that a value stands for, or nil.
  package func entries(_ value: KeyedValue?) -> [KeyedField]? {
    switch value.map(resolve) {
    case .bare(.dictionary(let fields)): return fields
    case .dictionary(let entries):
      var fields: [KeyedField] = []
      for entry in entries {
        guard let key = string(entry.key) else { return nil }
        fields.append(KeyedField(key: key, value: entry.value))
      }
      return fields
    default: return nil
    }
  }
}
