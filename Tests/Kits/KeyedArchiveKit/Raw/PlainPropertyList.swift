/// A property list as a tree, independent of the libraries.
public indirect enum PlainPropertyList: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int128)
  /// The bits of a float64.
  case real(UInt64)
  /// The bits of a float64: seconds since 2001-01-01.
  case date(UInt64)
  case data([UInt8])
  /// The UTF-8 of a string.
  case text([UInt8])
  case uid(UInt64)
  case array([PlainPropertyList])
  case set([PlainPropertyList])
  case dictionary([PlainEntry])

  /// A string.
  public static func string(_ text: String) -> PlainPropertyList { .text(Array(text.utf8)) }

  /// A floating-point number.
  public static func number(_ value: Double) -> PlainPropertyList { .real(value.bitPattern) }

  /// A dictionary in the given order.
  public static func object(_ entries: [(String, PlainPropertyList)]) -> PlainPropertyList {
    .dictionary(entries.map { PlainEntry(key: .string($0.0), value: $0.1) })
  }

  /// The value under a key of a dictionary.
  public subscript(_ key: String) -> PlainPropertyList? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries.first { $0.key == .string(key) }?.value
  }

  /// Returns the first place in which two values differ, for messages; nil if they are equal.
  public func difference(from other: PlainPropertyList, at place: String = "top") -> String? {
    if self == other { return nil }
    switch (self, other) {
    case (.array(let mine), .array(let theirs)) where mine.count == theirs.count:
      for index in mine.indices {
        if let difference = mine[index].difference(from: theirs[index], at: "\(place)[\(index)]") { return difference }
      }
    case (.dictionary(let mine), .dictionary(let theirs)) where mine.map(\.key) == theirs.map(\.key):
      for (left, right) in zip(mine, theirs) {
        if let difference = left.value.difference(from: right.value, at: "\(place).\(left.key)") { return difference }
      }
    default: break
    }
    return "\(place): \(self) and \(other)"
  }

  /// The same value with the entries of each dictionary, and the members of each set, in one order.
  public var sorted: PlainPropertyList {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .set(let elements): .set(elements.map(\.sorted).sorted { "\($0)" < "\($1)" })
    case .dictionary(let entries):
      .dictionary(entries.map { PlainEntry(key: $0.key, value: $0.value.sorted) }.sorted { "\($0.key)" < "\($1.key)" })
    default: self
    }
  }
}

/// An entry of a dictionary.
public struct PlainEntry: Sendable, Hashable {
  /// The key.
  public let key: PlainPropertyList
  /// The value.
  public let value: PlainPropertyList

  /// Creates an entry.
  public init(key: PlainPropertyList, value: PlainPropertyList) {
    self.key = key
    self.value = value
  }
}
