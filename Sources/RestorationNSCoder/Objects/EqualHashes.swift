import Foundation
import StateRestoration

/// A count of the objects in a collection that have the same hash value.
///
/// Foundation's hash values are easy to predict: those of long strings and data depend on a part of them, those of
/// arrays only on the number of elements. An archive full of objects with equal hash values would take quadratic time.
struct EqualHashes {
  /// The number of objects of one collection that may have the same hash value.
  static let limit = 1000

  private var counts: [Int: Int] = [:]

  /// Counts an object that becomes an element of a set or a key; returns the reason if it cannot be one.
  mutating func obstacle(for object: AnyObject) -> String? {
    guard let object = object as? NSObject else { return nil }
    #if !canImport(ObjectiveC)
      // Its `hash` recurses until the process ends (Swift 6.3).
      if object is NSDecimalNumber { return "an NSDecimalNumber cannot be in a set, or a key, on this system" }
    #endif
    let count = counts[object.hash, default: 0] + 1
    counts[object.hash] = count
    return count <= Self.limit ? nil : "more than \(Self.limit) objects of a collection have the same hash value"
  }
}
