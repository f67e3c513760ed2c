import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

/// The elements of a set or the keys of a dictionary: which objects can be one, and how many have the same hash value.
///
/// On Linux, comparing sets of collections, hashing decimal numbers, and two nulls, which are equal and have different
/// hash values, end the process (Swift 6.3). Archives with them could not be read there, so they are refused everywhere.
///
/// Foundation's hash values are easy to predict: those of long strings and data depend on a part of them, those of
/// arrays only on the number of elements. An archive full of objects with equal hash values would take quadratic time.
struct HashedObjects {
  /// The number of objects of one collection that may have the same hash value.
  static let limit = 1000

  private var counts: [Int: Int] = [:]
  /// The texts, each under all its normalization forms.
  private var texts: Set<String> = []

  /// Returns whether an object is a text that is in another normalization form than an equal one before.
  ///
  /// Foundation on Linux compares the two as equal, and hashes them differently: a collection of both ends the process
  /// by chance (Swift 6.3).
  mutating func isOtherForm(_ object: AnyObject) -> Bool {
    guard let text = (object as? NSString).map({ String($0) }) else { return false }
    let (isNew, earlier) = texts.insert(text)
    return !isNew && !earlier.utf8.elementsEqual(text.utf8)
  }

  /// Counts an object that becomes an element of a set or a key; returns the reason if it cannot be one.
  ///
  /// One that is in a counted set already is no other object with the same hash value.
  mutating func obstacle(for object: AnyObject, in counted: NSCountedSet? = nil) -> String? {
    guard let object = object as? NSObject else { return nil }
    switch object {
    case is NSArray, is NSSet, is NSOrderedSet, is NSDictionary, is NSAttributedString, is NSDecimalNumber, is NSNull:
      return "a \(object.classForCoder) cannot be an element of a set or a key"
    case let text as NSString where String(text).hasExcessiveMarks:
      return "a text with more than \(String.maximumMarks) combining marks in a row cannot be an element of a set or a key"
    default: break
    }
    if counted?.contains(object) == true { return nil }
    let count = counts[object.hash, default: 0] + 1
    counts[object.hash] = count
    return count <= Self.limit ? nil : "more than \(Self.limit) objects of a collection have the same hash value"
  }
}

extension ObjectEncoding {
  /// Refuses collections that end the process on Linux before they can be encoded (Swift 6.3).
  ///
  /// Foundation there turns a collection into a Swift one with everything inside as soon as one of its elements is
  /// looked at, and a Swift collection into a Foundation one as soon as it is an object. This never ends for one that
  /// contains itself, takes forever if collections are shared level by level, and cannot hash a decimal number.
  /// Mirrors show the elements as they are.
  ///
  /// - Throws: `object-cycle`, `object-limit`, or `nesting-depth`.
  func checkCollections(in object: Any) throws {
    #if !canImport(ObjectiveC)
      var walk = CollectionWalk(for: self)
      try walk.check(object)
    #endif
  }
}

#if !canImport(ObjectiveC)
  /// A walk through collections of Swift and Foundation that never asks Foundation for an element.
  private struct CollectionWalk {
    private let encoding: ObjectEncoding
    /// The number of values that may be visited; one that is shared counts for each place.
    private var left: Int
    private var open: Set<ObjectIdentifier> = []
    private var depth = 0

    init(for encoding: ObjectEncoding) { (self.encoding, left) = (encoding, encoding.remainingValues) }

    private static let leaves: Set<ObjectIdentifier> = [
      ObjectIdentifier(String.self), ObjectIdentifier(Int.self), ObjectIdentifier(Double.self), ObjectIdentifier(Bool.self),
      ObjectIdentifier(Date.self), ObjectIdentifier(Data.self), ObjectIdentifier(NSString.self), ObjectIdentifier(NSNumber.self),
    ]

    mutating func check(_ value: Any) throws {
      left -= 1
      if left < 0 { try encoding.refuseMoreValues() }
      let type = type(of: value)
      if Self.leaves.contains(ObjectIdentifier(type)) { return }
      // A class of the app may describe itself as it likes.
      let isObject = type is AnyClass
      if isObject, !(type is NSArray.Type || type is NSDictionary.Type || type is NSSet.Type || type is NSOrderedSet.Type) { return }
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      case .collection, .set, .dictionary, .optional: break
      default: return
      }
      guard isObject else { return try checkContents(of: mirror) }
      let identity = ObjectIdentifier(value as AnyObject)
      guard open.insert(identity).inserted else { throw encoding.failure(.objectCycle, "a \(type) contains itself") }
      defer { open.remove(identity) }
      try checkContents(of: mirror)
    }

    private mutating func checkContents(of mirror: Mirror) throws {
      depth += 1
      defer { depth -= 1 }
      guard depth <= FormatLimits.nesting else { throw encoding.tooDeep }
      for child in mirror.children {
        if mirror.displayStyle == .dictionary {
          let entry = Mirror(reflecting: child.value).children
          if let key = entry.first { try checkMember(key.value) }
          for part in entry { try check(part.value) }
        } else {
          if mirror.displayStyle == .set { try checkMember(child.value) }
          try check(child.value)
        }
      }
    }

    private func checkMember(_ value: Any) throws {
      guard Self.cannotBeHashed(value) else { return }
      throw encoding.failure(.objectLimit, "a \(type(of: value)) cannot be an element of a set or a key")
    }

    private static func cannotBeHashed(_ value: Any) -> Bool {
      let type = type(of: value)
      if type == AnyHashable.self, let value = value as? AnyHashable { return cannotBeHashed(value.base) }
      return type == Decimal.self || type is NSDecimalNumber.Type
    }
  }
#endif
