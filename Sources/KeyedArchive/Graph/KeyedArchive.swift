import FoundationValues
import RestorationArchive

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
  /// The objects; number 0 is the nil object, the bare string `$null`.
  ///
  /// After a salvage, a record of the class `$lost` stands for each lost object, with its fields if its class alone is lost, and
  /// one may follow the others.
  public let objects: [KeyedObject]
  /// The oddities of the property list that it was read from; after a salvage, also what was lost of the graph.
  public internal(set) var oddities: [PropertyListOddity] = []
  /// After a salvage, the objects to which nothing leads any more, with names like those of values whose key is lost
  /// (`Spec/imports.md`, rule R-K2-8).
  var strays: [KeyedField] = []
  /// The number in the property list of each object behind the nil object; empty if the objects have a table of their own.
  var listNumbers: [Int] = []
  /// Something that our layout does not have, and other archives may.
  var layoutFault: KeyedArchiveError?

  init(archiver: String, top: [KeyedField], objects: [KeyedObject], strays: [KeyedField] = []) {
    (self.archiver, self.top, self.objects, self.strays) = (archiver, top, objects, strays)
  }

  /// Reads a keyed archive from a binary or XML property list.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The resources that reading may take.
  ///   - tolerance: The faults that are read nevertheless, and are in ``oddities``.
  /// - Throws: An error with its offset for anything that is not a keyed archive, or exceeds the limits.
  /// - Complexity: O(n) in the length of the file, whatever it contains.
  public init(
    decoding bytes: [UInt8], limits: ImportLimits = .standard, tolerance: ImportTolerance = .oddities
  ) throws(KeyedArchiveError) {
    try self.init(decoding: bytes, ImportContext(limits, byteCount: bytes.count, tolerance))
  }

  /// Reads a keyed archive within the rest of a file's resources.
  init(decoding bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) {
    try self.init(PropertyList(decoding: bytes, context), context)
  }

  package init(_ list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) {
    var reader = try KeyedArchiveReader(list, context)
    self = try reader.read()
    oddities = list.oddities + context.takeOddities()
    if context.tolerance == .salvage, oddities.contains(where: \.isLoss) { strays = findStrays() }
  }

  /// Returns whether a property list looks like a keyed archive.
  package static func isArchive(_ list: PropertyList) -> Bool {
    ["$archiver", "$objects", "$top"].allSatisfy { list.value($0, of: list.top) != nil }
  }

  /// Returns the content that a value stands for: the object that it refers to, or the value itself.
  ///
  /// - Precondition: The value is one of this archive.
  public func resolve(_ value: KeyedValue) -> KeyedObject.Content {
    if case .object(let number) = value { objects[number].content } else { .bare(value) }
  }

  /// Returns the named value under a key, or nil if there is none.
  public subscript(_ key: String) -> KeyedValue? { top[key] }

  /// Returns the number of an object in the source.
  func number(of object: Int) -> Int { listNumbers.isEmpty ? object : listNumbers[object - 1] }

  // MARK: Values of one type

  /// Returns the value in line that a value stands for, also as an object of its own; nil for other objects.
  private func plain(_ value: KeyedValue?) -> KeyedValue? {
    switch value.map(resolve) {
    case .bare(let value): value
    case .string(let text): .string(text)
    case .data(let bytes): .data(bytes)
    case .date(let seconds): .date(seconds)
    default: nil
    }
  }

  /// Returns the string that a value stands for, or nil.
  package func string(_ value: KeyedValue?) -> String? { if case .string(let text) = plain(value) { text } else { nil } }

  /// Returns the integer that a value stands for, or nil.
  package func integer(_ value: KeyedValue?) -> Int128? { if case .integer(let number) = plain(value) { number } else { nil } }

  /// Returns the Boolean value that a value stands for, or nil.
  package func bool(_ value: KeyedValue?) -> Bool? {
    switch plain(value) {
    case .bool(let value): value
    case .integer(let number) where number == 0 || number == 1: number == 1
    default: nil
    }
  }

  /// Returns the seconds of a date that a value stands for, or nil.
  package func date(_ value: KeyedValue?) -> Double? { if case .date(let seconds) = plain(value) { seconds } else { nil } }

  /// Returns the bytes that a value stands for, or nil.
  package func data(_ value: KeyedValue?) -> [UInt8]? { if case .data(let bytes) = plain(value) { bytes } else { nil } }

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

/// A value in a keyed archive: written in line, or as the number of an object.
public enum KeyedValue: Sendable, Hashable {
  /// A nil: UID 0.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case integer(Int128)
  /// A floating-point number.
  case real(Double)
  /// A string.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A date, in seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// Values in line, in order.
  case array([KeyedValue])
  /// Values in line, by key.
  case dictionary([KeyedField])
  /// The number of an object in the archive's table.
  case object(Int)
}

/// A key with its value.
public struct KeyedField: Sendable, Hashable {
  /// The key.
  public let key: String
  /// The value.
  public let value: KeyedValue
}

/// The description of a class in a keyed archive.
public struct KeyedClass: Sendable, Hashable {
  /// The name of the class.
  public let name: String
  /// The names of the class and its superclasses, most derived first.
  public let names: [String]
  /// What else its dictionary has, such as `$classhints`.
  let others: [KeyedField]

  /// Creates a description.
  package init(name: String, names: [String] = [], others: [KeyedField] = []) {
    (self.name, self.others) = (name, others)
    self.names = names.isEmpty ? [name] : names
  }
}

/// An entry of a dictionary in a keyed archive.
public struct KeyedEntry: Sendable, Hashable {
  /// The key, of any type.
  public let key: KeyedValue
  /// The value.
  public let value: KeyedValue
}

/// An object in the table of a keyed archive.
///
/// Objects of Foundation's value classes are values. All others are records: a class name and fields, which nothing
/// here ever turns into an instance.
public struct KeyedObject: Sendable, Hashable {
  /// The content of an object.
  public enum Content: Sendable, Hashable {
    /// A value without a class: a bare string, number, Boolean value, data or date.
    case bare(KeyedValue)
    /// NSNull.
    case null
    /// NSString and NSMutableString.
    case string(String)
    /// NSData and NSMutableData.
    case data([UInt8])
    /// NSDate, in seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    /// NSURL: a text, and the object of the URL that it is relative to.
    case url(base: KeyedValue, relative: String)
    /// NSUUID: 16 bytes.
    case uuid([UInt8])
    /// NSArray and NSMutableArray.
    case array([KeyedValue])
    /// NSSet and NSMutableSet.
    case set([KeyedValue])
    /// NSOrderedSet and NSMutableOrderedSet.
    case orderedSet([KeyedValue])
    /// NSDictionary and NSMutableDictionary.
    case dictionary([KeyedEntry])
    /// An object of any other class.
    case record([KeyedField])
    /// The description of a class.
    case classDescription(KeyedClass)
  }

  /// The class; nil for bare values and descriptions of classes.
  public let type: KeyedClass?
  /// The content.
  public let content: Content
  /// The offset of the object in its file, if it has one.
  package let offset: Int?

  /// Creates the object that stands in the place of one that was lost, or whose class was.
  static func lost(_ number: Int, _ fields: [KeyedField] = [], at offset: Int? = nil) -> KeyedObject {
    let number = KeyedField(key: "number", value: .integer(Int128(number)))
    return KeyedObject(.record([number] + fields), type: KeyedClass(name: lostClass), at: offset)
  }

  static let lostClass = "$lost"

  /// Whether the object stands in the place of one that was lost.
  var isLost: Bool { type?.name.isSameText(as: Self.lostClass) == true }

  init(_ content: Content, type: KeyedClass? = nil, at offset: Int? = nil) {
    (self.content, self.type, self.offset) = (content, type, offset)
  }

  /// The values that the object refers to or contains.
  package var values: [KeyedValue] {
    switch content {
    case .array(let values), .set(let values), .orderedSet(let values): values
    case .dictionary(let entries): entries.map(\.key) + entries.map(\.value)
    case .record(let fields): fields.map(\.value)
    case .url(let base, _): [base]
    case .bare(let value): [value]
    case .classDescription(let description): description.others.map(\.value)
    case .null, .string, .data, .date, .uuid: []
    }
  }

  /// Returns the value of a field of a record.
  package subscript(_ key: String) -> KeyedValue? {
    if case .record(let fields) = content { fields[key] } else { nil }
  }
}

extension [KeyedField] {
  /// Returns the value of the first field with a key, which is compared byte by byte.
  subscript(_ key: String) -> KeyedValue? { first { $0.key.utf8.elementsEqual(key.utf8) }?.value }

  /// Returns the value of the only field; nil if it has another key, or there are others, which a caller would lose.
  func only(_ key: String) -> KeyedValue? { count == 1 ? self[key] : nil }
}

extension UUID {
  /// Creates a UUID from its bytes.
  ///
  /// - Precondition: There are 16.
  init(bytes: [UInt8]) {
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(word(bytes[..<8]), word(bytes[8...]))
  }

  /// The sixteen bytes, in the order of the text.
  var bytes: [UInt8] { [words.0, words.1].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } } }
}
