import Foundation

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
  mutating func obstacle(for object: AnyObject) -> String? {
    guard let object = object as? NSObject else { return nil }
    switch object {
    case is NSArray, is NSSet, is NSOrderedSet, is NSDictionary, is NSAttributedString, is NSDecimalNumber, is NSNull:
      return "a \(object.classForCoder) cannot be an element of a set or a key"
    default: break
    }
    let count = counts[object.hash, default: 0] + 1
    counts[object.hash] = count
    return count <= Self.limit ? nil : "more than \(Self.limit) objects of a collection have the same hash value"
  }
}
