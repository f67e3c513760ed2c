import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

/// The decoding of the objects of one node: the list of classes, and the objects that references lead to.
///
/// Every class is checked before an object is created.
final class ObjectDecoding {
  let classes: ObjectClasses
  let state: StateDecoder
  /// The outermost key, for messages.
  private(set) var key = ""
  /// The targets of references that led to no object.
  private var withoutObject: Set<RestorationPath> = []
  /// The number of open objects of the app.
  private var level = 0

  init(state: StateDecoder, classes: ObjectClasses) {
    self.state = state
    self.classes = classes
  }

  /// Begins to decode the value under a key of the node's state.
  func begin(_ key: String) {
    if level == 0 { self.key = key }
  }

  /// Whether a reference that was decoded to the path led to an object.
  func hasObject(at path: RestorationPath) -> Bool { !withoutObject.contains(path) }

  /// Returns the object for a value; nil for null, or a reference to a node without an object.
  ///
  /// The object, and those inside it, are of the `allowed` classes; nil allows all.
  func object(for value: ArchiveValue, allowed: [AnyClass]?) throws -> AnyObject? {
    if case .null = value { return nil }
    return try object(for: value, ClassCheck(classes: allowed, isElement: false))
  }

  /// The classes that a caller accepts.
  private struct ClassCheck {
    let classes: [AnyClass]?
    /// Whether the object is an element of a collection, which may hold objects of property lists in any case.
    let isElement: Bool

    var forElements: ClassCheck { ClassCheck(classes: classes, isElement: true) }

    func allows(_ objectClass: AnyClass) -> Bool {
      guard let classes else { return true }
      if isElement, FoundationClass.propertyList.contains(where: { isClass(objectClass, kindOf: $0) }) { return true }
      return classes.contains { isClass(objectClass, kindOf: $0) }
    }
  }

  private func check(_ objectClass: AnyClass, _ check: ClassCheck) throws {
    guard !check.allows(objectClass) else { return }
    let names = (check.classes ?? []).map { "\($0)" }.joined(separator: ", ")
    throw failure(.objectClass, "a \(objectClass), where one of these was requested: \(names)")
  }

  private func object(for value: ArchiveValue, _ check: ClassCheck) throws -> AnyObject? {
    if let (objectClass, makeObject) = plainObject(for: value) {
      try self.check(objectClass, check)
      return try makeObject()
    }
    switch value {
    case .null:
      try self.check(NSNull.self, check)
      return NSNull()
    case .array(let elements):
      try self.check(NSArray.self, check)
      return NSArray(array: try objects(for: elements, check))
    case .dictionary(let dictionary):
      guard let name = dictionary[ObjectField.className] else { return try self.dictionary(dictionary, check) }
      guard case .string(let name) = name else { throw wrongType("the name of a class", name) }
      return try object(named: name, dictionary, check)
    case .reference(let path):
      guard let object = try state.restoredObject(at: path, forKey: key) else {
        withoutObject.insert(path)
        return nil
      }
      try self.check(type(of: object), ClassCheck(classes: check.classes, isElement: false))
      return object
    default: return nil
    }
  }

  /// Returns the class of a value without others inside, and a function that makes the object; nil for other values.
  private func plainObject(for value: ArchiveValue) -> (AnyClass, () throws -> AnyObject)? {
    switch value {
    case .bool(let value): (NSNumber.self, { NSNumber(value: value) })
    case .integer(let value):
      (
        NSNumber.self,
        { value.converted(to: Int.self).map { NSNumber(value: $0) } ?? NSNumber(value: value.converted(to: UInt64.self) ?? 0) }
      )
    case .float(let value): (NSNumber.self, { NSNumber(value: value) })
    case .string(let text): (NSString.self, { NSString(string: text) })
    case .data(let data): (NSData.self, { NSData(data: data) })
    case .date(let date): (NSDate.self, { NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate) })
    case .uuid(let uuid): (NSUUID.self, { uuid as NSUUID })
    case .url(let text): (NSURL.self, { try self.url(text, relativeTo: nil) })
    default: nil
    }
  }

  /// Returns the objects for the elements of a collection, without those that references no longer lead to.
  private func objects(for elements: [ArchiveValue], _ check: ClassCheck) throws -> [AnyObject] {
    try elements.compactMap { try object(for: $0, check.forElements) }
  }

  // MARK: Dictionaries

  private func dictionary(_ dictionary: ArchiveDictionary, _ check: ClassCheck) throws -> NSDictionary {
    try self.check(NSDictionary.self, check)
    let result = NSMutableDictionary()
    var hashes = HashedObjects()
    for entry in dictionary {
      guard let value = try object(for: entry.value, check.forElements) else { continue }
      try insert(value, NSString(string: ObjectField.original(entry.key)), into: result, &hashes)
    }
    return try immutable(result)
  }

  private func immutable(_ dictionary: NSMutableDictionary) throws -> NSDictionary {
    guard let copy = dictionary.copy() as? NSDictionary else { throw invalid("a dictionary", "none") }
    return copy
  }

  private func entries(_ elements: [ArchiveValue], _ check: ClassCheck) throws -> NSMutableDictionary {
    guard elements.count.isMultiple(of: 2) else { throw invalid("pairs of keys and values", "an odd number of elements") }
    let result = NSMutableDictionary()
    var hashes = HashedObjects()
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard let value = try object(for: elements[index + 1], check.forElements),
        let key = try object(for: elements[index], check.forElements)
      else { continue }
      guard let key = key as? NSObject, key is any NSCopying else { throw invalid("a key that can be copied", "another object") }
      try insert(value, key, into: result, &hashes)
    }
    return result
  }

  private func insert(
    _ object: AnyObject, _ key: NSObject, into dictionary: NSMutableDictionary, _ hashes: inout HashedObjects
  ) throws {
    try check(key, &hashes, "keys")
    try checkDifferent(dictionary.object(forKey: key) == nil, "keys")
    #if canImport(ObjectiveC)
      if let key = key as? any NSCopying { dictionary.setObject(object, forKey: key) }
    #else
      dictionary.setObject(object, forKey: key)
    #endif
  }

  // MARK: Objects with a class name

  private func object(named name: String, _ dictionary: ArchiveDictionary, _ check: ClassCheck) throws -> AnyObject? {
    if let kind = FoundationClass.named[name.asKnownName] {
      let fields = ObjectFields(fields: dictionary, decoding: self)
      if kind == .unit {
        // Its class depends on its dimension.
        let unit = try foundationObject(of: kind, fields)
        try self.check(unit.map { type(of: $0) } ?? kind.objectClass, check)
        return unit
      }
      try self.check(kind.objectClass, check)
      return try object(of: kind, fields, check)
    }
    guard let objectClass = classes.objectClass(named: name) else {
      throw failure(.objectClass, "the class \(name.quoted) is not in the list of classes: add it to restorableClasses")
    }
    try self.check(objectClass, ClassCheck(classes: check.classes, isElement: false))
    guard let coding = objectClass as? any NSSecureCoding.Type, coding.supportsSecureCoding else {
      throw failure(.objectClass, "a \(objectClass) does not support secure coding")
    }
    guard level < FormatLimits.nesting else {
      throw error(FormatError(.nestingDepth, at: nil, "object", expected: "at most \(FormatLimits.nesting) levels"))
    }
    level += 1
    defer { level -= 1 }
    guard let object = try StateUnarchiver(self, fields: dictionary).object(of: coding) else {
      throw failure(.objectRefused, "init(coder:) of \(objectClass) returned nil")
    }
    return object
  }

  private func object(of kind: FoundationClass, _ fields: ObjectFields, _ check: ClassCheck) throws -> AnyObject? {
    switch kind {
    case .null: NSNull()
    case .value: try value(fields)
    case .decimal: try decimal(fields.string("decimal"))
    case .url: try url(fields.string("relative"), relativeTo: fields.stringIfPresent("base"))
    case .mutableString: NSMutableString(string: try fields.string("string"))
    case .mutableData: NSMutableData(data: try fields.data("data"))
    case .mutableArray: NSMutableArray(array: try objects(for: fields.array("elements"), check))
    case .set, .mutableSet, .countedSet: try set(kind, objects(for: fields.array("elements"), check))
    case .orderedSet, .mutableOrderedSet: try orderedSet(kind, objects(for: fields.array("elements"), check))
    case .dictionary: try immutable(entries(fields.array("entries"), check))
    case .mutableDictionary: try entries(fields.array("entries"), check)
    case .indexPath: try indexPath(fields.integers("indexes"))
    case .indexSet: NSIndexSet(indexSet: try indexSet(fields.integers("ranges")))
    case .mutableIndexSet: NSMutableIndexSet(indexSet: try indexSet(fields.integers("ranges")))
    case .attributedString: NSAttributedString(attributedString: try attributedString(fields))
    case .mutableAttributedString: try attributedString(fields)
    case .locale, .timeZone, .calendar, .dateComponents, .dateInterval, .personName, .queryItem, .regularExpression, .measurement, .unit,
      .error:
      try foundationObject(of: kind, fields)
    }
  }

  private func set(_ kind: FoundationClass, _ elements: [AnyObject]) throws -> NSSet {
    let set = kind == .countedSet ? NSCountedSet() : NSMutableSet()
    var hashes = HashedObjects()
    for element in elements {
      try check(element, &hashes, "set", set as? NSCountedSet)
      if kind != .countedSet { try checkDifferent(!set.contains(element), "set") }
      set.add(element)
    }
    return kind == .set ? NSSet(set: set) : set
  }

  private func orderedSet(_ kind: FoundationClass, _ elements: [AnyObject]) throws -> NSOrderedSet {
    let set = NSMutableOrderedSet()
    var hashes = HashedObjects()
    for element in elements {
      try check(element, &hashes, "set")
      try checkDifferent(!set.contains(element), "set")
      set.add(element)
    }
    return kind == .orderedSet ? NSOrderedSet(orderedSet: set) : set
  }

  /// Throws if an object cannot be an element of a set or a key beside those before it.
  private func check(
    _ object: AnyObject, _ hashes: inout HashedObjects, _ collection: String, _ counted: NSCountedSet? = nil
  ) throws {
    if let obstacle = hashes.obstacle(for: object, in: counted) { throw failure(.objectLimit, obstacle) }
    try checkDifferent(!hashes.isOtherForm(object), collection)
  }

  private func checkDifferent(_ isDifferent: Bool, _ collection: String) throws {
    guard isDifferent else {
      throw error(FormatError(.keysCollide, at: nil, collection, expected: "different elements", found: "equal ones"))
    }
  }

  // MARK: Objects without others inside

  private func url(_ text: String, relativeTo base: String?) throws -> NSURL {
    let baseURL = base.flatMap { URL(string: $0) }
    guard base == nil || baseURL != nil, let url = NSURL(string: text, relativeTo: baseURL) else { throw invalid("a URL", "other text") }
    return url
  }

  private func decimal(_ text: String) throws -> NSDecimalNumber {
    guard let decimal = Decimal(exactText: text) else { throw invalid("a decimal number", "other text") }
    return NSDecimalNumber(decimal: decimal)
  }

  private func value(_ fields: ObjectFields) throws -> NSValue {
    if let numbers = try fields.numbersIfPresent("point", count: 2) { return .holding(CGPoint(x: numbers[0], y: numbers[1])) }
    if let numbers = try fields.numbersIfPresent("size", count: 2) { return .holding(CGSize(width: numbers[0], height: numbers[1])) }
    if let numbers = try fields.numbersIfPresent("rect", count: 4) {
      return .holding(CGRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }
    if let numbers = try fields.numbersIfPresent("edgeInsets", count: 4) {
      return .holding(EdgeInsetsValue(top: numbers[0], left: numbers[1], bottom: numbers[2], right: numbers[3]))
    }
    let range = try fields.integers("range")
    guard range.count == 2, range.allSatisfy({ $0 >= 0 }) else { throw invalid("a location and a length", "other numbers") }
    return NSValue(range: NSRange(location: range[0], length: range[1]))
  }

  private func indexPath(_ indexes: [Int]) throws -> NSIndexPath {
    guard indexes.allSatisfy({ $0 >= 0 }) else { throw invalid("indexes", "a negative number") }
    return IndexPath(indexes: indexes) as NSIndexPath
  }

  private func indexSet(_ ranges: [Int]) throws -> IndexSet {
    guard ranges.count.isMultiple(of: 2) else { throw invalid("pairs of location and length", "an odd number of elements") }
    var set = IndexSet()
    // The end of the range before; ranges do not touch.
    var end = -1
    for index in stride(from: 0, to: ranges.count, by: 2) {
      let (location, length) = (ranges[index], ranges[index + 1])
      // `NSNotFound` is no index, so the sum below cannot overflow.
      guard location > end, length > 0, length <= NSNotFound - location else {
        throw invalid("ascending ranges of indexes", "other numbers")
      }
      end = location + length
      set.insert(integersIn: location..<end)
    }
    return set
  }

  private func attributedString(_ fields: ObjectFields) throws -> NSMutableAttributedString {
    let result = NSMutableAttributedString(string: try fields.string("string"))
    let runs = try fields.array("runs")
    var position = 0
    for index in stride(from: 1, to: runs.count, by: 2) {
      guard case .integer(let number) = runs[index - 1], let length = number.converted(to: Int.self), length > 0,
        length <= result.length - position,
        case .dictionary(let attributes) = runs[index], attributes.allSatisfy({ $0.value.canBeAttribute && !$0.key.hasExcessiveMarks }),
        attributes[ObjectField.className] == nil
      else { throw invalid("runs of the text with their attributes", "other values") }
      var values: [NSAttributedString.Key: Any] = [:]
      for entry in attributes {
        // Strings, numbers, dates, data and URLs are part of the text, whatever classes were requested.
        values[NSAttributedString.Key(rawValue: ObjectField.original(entry.key))] = try object(for: entry.value, allowed: nil)
      }
      result.setAttributes(values, range: NSRange(location: position, length: length))
      position += length
    }
    guard runs.count.isMultiple(of: 2), position == result.length else { throw invalid("runs for the whole text", "other lengths") }
    return result
  }

  // MARK: Errors

  func failure(_ code: RestorationError.Code, _ message: String) -> RestorationError {
    RestorationError(code, path: state.path, "key \(key.quoted): \(message)")
  }

  func error(_ error: FormatError) -> ArchiveError { ArchiveError(error, path: state.path, key: key) }

  func invalid(_ expected: String, _ found: String) -> ArchiveError {
    error(FormatError(.wrongType, at: nil, "object", expected: .text(expected), found: .text(found)))
  }

  func wrongType(_ expected: String, _ value: ArchiveValue?) -> ArchiveError {
    error(FormatError(.wrongType, at: nil, "value", expected: .text(expected), found: .text(value?.typeName ?? "none")))
  }
}
