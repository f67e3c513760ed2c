import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

/// The encoding of the objects of one node: the list of classes, the open objects, and the budget.
final class ObjectEncoding {
  /// The number of values that a node's objects may have.
  ///
  /// An object that several others refer to is encoded once for each, so a few objects could otherwise become 2^100
  /// values.
  static let maximumValues = 1 << 20

  private let maximumValues: Int
  let classes: ObjectClasses
  let state: StateEncoder
  /// The objects that are being encoded.
  private var open: Set<ObjectIdentifier> = []
  private var valueCount = 0
  /// Whether the classes that were met are the app's own.
  private var isAppsOwn: [ObjectIdentifier: Bool] = [:]
  /// The outermost key, for messages.
  private(set) var key = ""

  init(state: StateEncoder, classes: ObjectClasses, maximumValues: Int) {
    self.maximumValues = maximumValues
    self.state = state
    self.classes = classes
  }

  /// Begins to encode the value under a key of the node's state, which error messages name.
  func begin(_ key: String) {
    if open.isEmpty { self.key = key }
  }

  /// Returns the value for an object under a key of the node's state, or for a field of an object of the app.
  func value(of object: Any, forKey key: String? = nil) throws -> ArchiveValue {
    try checkCollections(in: object)
    if let restorable = object as? any Restorable {
      return try state.path(of: restorable, forKey: key ?? self.key).map { .reference($0) } ?? .null
    }
    return try plainValue(of: object)
  }

  // MARK: Values

  /// Returns the value for an element of a collection, or nil for a restorable object without a path.
  private func element(_ object: Any) throws -> ArchiveValue? {
    if let restorable = object as? any Restorable {
      return try state.path(of: restorable, forKey: key, withoutPath: "is left out of its collection").map { .reference($0) }
    }
    return try plainValue(of: object)
  }

  /// Returns the value for an object that is not restorable.
  func plainValue(of any: Any) throws -> ArchiveValue {
    valueCount += 1
    try checkCount()
    #if os(macOS) || !canImport(ObjectiveC)
      if let insets = any as? NSEdgeInsets { return form(EdgeInsetsValue(insets)) }
    #endif
    if let value = try structure(any) { return value }
    let object = any as AnyObject
    if let own = object as? NSObject, let name = classes.name(of: type(of: own)) ?? classes.name(of: own.classForCoder) {
      return try ownObject(own, name)
    }
    guard !isOfAppsOwnClass(object) else { throw unlisted(any) }
    if let value = try scalar(object) ?? container(object) ?? foundationObject(object) { return value }
    throw unlisted(any)
  }

  private func unlisted(_ any: Any) -> any Error {
    failure(.objectClass, "a \(type(of: any)) cannot be encoded: list its class in restorableClasses, or make it restorable")
  }

  /// Whether an object is of a class outside of Foundation, such as an error of the app's own.
  ///
  /// It would come back as an object of its superclass, without its own fields.
  private func isOfAppsOwnClass(_ object: AnyObject) -> Bool {
    let kind: AnyClass = type(of: object)
    if let known = isAppsOwn[ObjectIdentifier(kind)] { return known }
    // With Objective-C, the system's own classes have no module.
    let parts = String(reflecting: kind).split(separator: ".")
    let modules: Set<Substring> = ["Foundation", "FoundationEssentials", "Swift", "CoreFoundation", "ObjectiveC", "__C"]
    let isOwn = parts.count > 1 && !modules.contains(parts[0])
    isAppsOwn[ObjectIdentifier(kind)] = isOwn
    return isOwn
  }

  private func checkCount() throws {
    if valueCount > maximumValues { try refuseMoreValues() }
  }

  func refuseMoreValues() throws {
    throw failure(.objectLimit, "more than \(maximumValues) values; an object is encoded again for each reference to it")
  }

  /// The number of values that may still be encoded.
  var remainingValues: Int { maximumValues - valueCount }

  /// Returns the value for a structure that has no object, or loses something in one, on some system.
  private func structure(_ any: Any) throws -> ArchiveValue? {
    switch any {
    case let value where type(of: value) == CGFloat.self: (value as? CGFloat).map { .float(Double($0)) }
    case let point as CGPoint: form(.value, ["point": .numbers(point.x, point.y)])
    case let size as CGSize: form(.value, ["size": .numbers(size.width, size.height)])
    case let rect as CGRect: form(.value, ["rect": .numbers(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)])
    case let insets as EdgeInsetsValue: form(insets)
    case let range as NSRange: try rangeForm(range)
    // Not `as`, which accepts objects.
    case let url where type(of: url) == URL.self: (url as? URL).map { form(of: $0.relativeString, relativeTo: $0.baseURL) }
    case let set where type(of: set) == IndexSet.self: (set as? IndexSet).map { form(.indexSet, ["ranges": .array(ranges(of: $0))]) }
    default: nil
    }
  }

  /// Returns the value for an object without others inside, or nil.
  private func scalar(_ object: AnyObject) throws -> ArchiveValue? {
    switch object {
    case let text as NSString:
      text.classForCoder == NSMutableString.self ? form(.mutableString, ["string": try string(text)]) : try string(text)
    case let number as NSDecimalNumber: form(.decimal, ["decimal": .string(number.decimalValue.exactText)])
    case let number as NSNumber: .number(number)
    case let value as NSValue: try structure(of: value)
    case let data as NSData:
      data.classForCoder == NSMutableData.self
        ? form(.mutableData, ["data": .data(Data(referencing: data))]) : .data(Data(referencing: data))
    case let date as NSDate: .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
    case let uuid as NSUUID: .uuid(uuid as UUID)
    case let url as NSURL: form(of: url.relativeString, relativeTo: url.baseURL)
    case is NSNull: form(.null, [:])
    case let path as NSIndexPath: try pathForm(path)
    case let indexes as NSIndexSet:
      form(indexes is NSMutableIndexSet ? .mutableIndexSet : .indexSet, ["ranges": .array(ranges(of: indexes as IndexSet))])
    default: nil
    }
  }

  /// Returns the value for a text, of which nothing becomes another character silently.
  private func string(_ text: NSString) throws -> ArchiveValue {
    #if canImport(ObjectiveC)
      // Elsewhere a text cannot have one.
      try expect(text.canBeConverted(to: String.Encoding.utf8.rawValue), "a text with half of a surrogate pair")
    #endif
    return .string(String(text))
  }

  private func pathForm(_ path: NSIndexPath) throws -> ArchiveValue {
    let indexes = (0..<path.length).map { path.index(atPosition: $0) }
    try expect(indexes.allSatisfy { $0 >= 0 }, "an index path with a negative number")
    return form(.indexPath, ["indexes": .array(indexes.map { .integer($0) })])
  }

  private func rangeForm(_ range: NSRange) throws -> ArchiveValue {
    try expect(range.location >= 0 && range.length >= 0, "a range with a negative number")
    return form(.value, ["range": [.integer(range.location), .integer(range.length)]])
  }

  private func form(_ insets: EdgeInsetsValue) -> ArchiveValue {
    form(.value, ["edgeInsets": .numbers(insets.top, insets.left, insets.bottom, insets.right)])
  }

  private func form(of url: String, relativeTo base: URL?) -> ArchiveValue {
    if base == nil, !url.isEmpty { return .url(url) }
    var fields: ArchiveDictionary = ["relative": .string(url)]
    if let base { fields["base"] = .string(base.absoluteString) }
    return form(.url, fields)
  }

  private func ranges(of indexes: IndexSet) -> [ArchiveValue] {
    indexes.rangeView.flatMap { [.integer($0.lowerBound), .integer($0.count)] }
  }

  private func structure(of value: NSValue) throws -> ArchiveValue {
    if let structure = try value.structure.flatMap({ try structure($0) }) { return structure }
    throw failure(.objectClass, "an NSValue of this type cannot be encoded; points, sizes, rectangles, edge insets and ranges can")
  }

  // MARK: Containers

  /// Returns the value for an object with others inside, or nil.
  private func container(_ object: AnyObject) throws -> ArchiveValue? {
    switch object {
    case let array as NSArray:
      let elements = try enter(array) { try array.compactMap { try element($0) } }
      return array.classForCoder == NSMutableArray.self ? form(.mutableArray, ["elements": .array(elements)]) : .array(elements)
    case let set as NSSet: return try self.set(set)
    case let set as NSOrderedSet:
      let elements = try enter(set) {
        try checkHashes(of: set.array)
        return try set.array.compactMap { try element($0) }
      }
      return form(set.classForCoder == NSMutableOrderedSet.self ? .mutableOrderedSet : .orderedSet, ["elements": .array(elements)])
    case let dictionary as NSDictionary: return try self.dictionary(dictionary)
    case let text as NSAttributedString: return try attributedString(text)
    default: return nil
    }
  }

  private func set(_ set: NSSet) throws -> ArchiveValue {
    let counts = set as? NSCountedSet
    var groups: [[ArchiveValue]] = []
    try enter(set) {
      try checkHashes(of: set.allObjects)
      for object in set {
        guard let value = try element(object) else { continue }
        let count = counts?.count(for: object) ?? 1
        valueCount += count - 1
        try checkCount()
        groups += Array(repeating: [value], count: count)
      }
    }
    let kind: FoundationClass = counts != nil ? .countedSet : set.classForCoder == NSMutableSet.self ? .mutableSet : .set
    return form(kind, ["elements": .array(ArchiveValue.sorted(groups).flatMap(\.self))])
  }

  private func dictionary(_ dictionary: NSDictionary) throws -> ArchiveValue {
    var entries: [(key: ArchiveValue, value: ArchiveValue)] = []
    var hasPlainKeys = dictionary.classForCoder != NSMutableDictionary.self
    try enter(dictionary) {
      try checkHashes(of: dictionary.allKeys)
      for (key, object) in dictionary {
        try expect((key as AnyObject) is any NSCopying, "a \(type(of: key)), which has no copies, as a key")
        guard let value = try element(object), let key = try element(key) else { continue }
        if case .string(let text) = key {
          hasPlainKeys = hasPlainKeys && text.utf8.count < FormatLimits.key.upperBound
        } else {
          hasPlainKeys = false
        }
        entries.append((key, value))
      }
    }
    if hasPlainKeys {
      return .dictionary(ArchiveDictionary(entries.map { (ObjectField.stored($0.key.text ?? ""), $0.value) }))
    }
    let kind: FoundationClass = dictionary.classForCoder == NSMutableDictionary.self ? .mutableDictionary : .dictionary
    return form(kind, ["entries": .array(ArchiveValue.sorted(entries.map { [$0.key, $0.value] }).flatMap(\.self))])
  }

  /// Refuses a collection that could not be decoded.
  ///
  /// Objects that were changed after they had been added may be equal by now; only one of them could be decoded.
  private func checkHashes(of objects: [Any]) throws {
    var hashes = HashedObjects()
    for object in objects {
      if let obstacle = hashes.obstacle(for: object as AnyObject) { throw failure(.objectLimit, obstacle) }
      if hashes.isOtherForm(object as AnyObject) { throw collision(expected: "different texts", found: "two forms of one") }
    }
    let different = NSMutableSet()
    for object in objects { different.add(object) }
    guard different.count == objects.count else { throw collision(expected: "different objects", found: "equal ones") }
  }

  private func collision(expected: String, found: String) -> ArchiveError {
    ArchiveError(.keysCollide, "collection", expected: .text(expected), found: .text(found), path: state.path, key: key)
  }

  private func attributedString(_ text: NSAttributedString) throws -> ArchiveValue {
    var runs: [ArchiveValue] = []
    try enter(text) {
      var position = 0
      while position < text.length {
        var range = NSRange(location: position, length: 0)
        // Not `enumerateAttributes`, whose closure cannot throw.
        let attributes = unsafe text.attributes(at: position, effectiveRange: &range)
        try expect(
          !attributes.keys.contains { $0.rawValue.hasExcessiveMarks },
          "the name of an attribute with more than \(String.maximumMarks) combining marks in a row")
        let entries = try attributes.map { (ObjectField.stored($0.key.rawValue), try attribute($0.value)) }
        runs += [.integer(range.length), .dictionary(ArchiveDictionary(entries))]
        position = range.location + range.length
      }
    }
    let kind: FoundationClass = text is NSMutableAttributedString ? .mutableAttributedString : .attributedString
    return form(kind, ["string": try string(text.string as NSString), "runs": .array(runs)])
  }

  private func attribute(_ object: Any) throws -> ArchiveValue {
    let value = try plainValue(of: object)
    guard value.canBeAttribute else {
      throw failure(.objectClass, "a \(type(of: object)) cannot be an attribute; strings, numbers, dates, data and URLs can")
    }
    return value
  }

  func form(_ kind: FoundationClass, _ fields: ArchiveDictionary) -> ArchiveValue {
    var fields = fields
    fields[ObjectField.className] = .string(kind.name)
    return .dictionary(fields)
  }

  // MARK: Objects of the app

  private func ownObject(_ object: NSObject, _ name: String) throws -> ArchiveValue {
    guard let coding = object as? any NSSecureCoding else {
      throw failure(.objectClass, "a \(type(of: object)) does not support secure coding")
    }
    return try enter(object) {
      var fields = try StateArchiver(self, isOutermost: false).fields(of: coding)
      fields[ObjectField.className] = .string(name)
      return .dictionary(fields)
    }
  }

  /// Runs `body` for the content of an object.
  ///
  /// Throws if the object is being encoded already, or is nested too deeply.
  func enter<Result>(_ object: AnyObject, _ body: () throws -> Result) throws -> Result {
    let identity = ObjectIdentifier(object)
    guard open.count < FormatLimits.nesting else { throw tooDeep }
    guard open.insert(identity).inserted else {
      throw failure(.objectCycle, "a \(type(of: object)) contains itself; make it restorable to encode a reference")
    }
    defer { open.remove(identity) }
    return try body()
  }

  /// The error for objects that are nested too deeply.
  var tooDeep: ArchiveError {
    let error = FormatError(.nestingDepth, at: nil, "object", expected: "at most \(FormatLimits.nesting) levels")
    return ArchiveError(error, path: state.path, key: key)
  }

  /// Refuses an object that could be encoded, but not decoded.
  func expect(_ canBeDecoded: Bool, _ object: @autoclosure () -> String) throws {
    guard canBeDecoded else { throw failure(.objectClass, "\(object()) cannot be encoded: it could not be decoded") }
  }

  func failure(_ code: RestorationError.Code, _ message: String) -> RestorationError {
    RestorationError(code, path: state.path, "key \(key.quoted): \(message)")
  }
}

extension ArchiveValue {
  fileprivate static func numbers(_ numbers: CGFloat...) -> ArchiveValue { .array(numbers.map { .float(Double($0)) }) }

  /// Returns the value for a number: a Boolean, an integer or a floating-point number.
  fileprivate static func number(_ number: NSNumber) -> ArchiveValue {
    if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
    switch number.typeCode {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .float(number.doubleValue)
    case UInt8(ascii: "Q"): return ArchiveInteger(exactly: number.uint64Value).map { .integer($0) } ?? .null
    default: return ArchiveInteger(exactly: number.int64Value).map { .integer($0) } ?? .null
    }
  }

  /// Whether the value can be an attribute of text.
  ///
  /// On Linux, other attributes end the process when Foundation compares them (Swift 6.3).
  var canBeAttribute: Bool {
    switch self {
    case .bool, .integer, .float, .string, .data, .date, .url: true
    default: false
    }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
