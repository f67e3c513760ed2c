/// A keyed archive that is assembled object by object, and may be wrong in any place.
public struct RawKeyedArchive: Sendable {
  /// The table of objects.
  public var objects: [PlainPropertyList] = [.string("$null")]
  /// The named values.
  public var top: [(String, PlainPropertyList)] = []
  /// The name of the archiver.
  public var archiver = "NSKeyedArchiver"
  /// The version.
  public var version: PlainPropertyList = .integer(100_000)

  /// Creates an archive without objects.
  public init() {}

  /// Adds an object; returns a UID for it.
  public mutating func add(_ object: PlainPropertyList) -> PlainPropertyList {
    objects.append(object)
    return .uid(UInt64(objects.count - 1))
  }

  /// Adds the description of a class.
  public mutating func addClass(_ names: String..., hints: [String] = []) -> PlainPropertyList {
    var entries: [(String, PlainPropertyList)] = [
      ("$classname", .string(names[0])), ("$classes", .array((names + ["NSObject"]).map { .string($0) })),
    ]
    if !hints.isEmpty { entries.append(("$classhints", .array(hints.map { .string($0) }))) }
    return add(.object(entries))
  }

  /// Adds an object of a class with fields.
  public mutating func add(_ type: String, _ fields: [(String, PlainPropertyList)]) -> PlainPropertyList {
    let type = addClass(type)
    return add(.object(fields + [("$class", type)]))
  }

  /// Adds an NSArray.
  public mutating func addArray(_ elements: [PlainPropertyList], type: String = "NSArray") -> PlainPropertyList {
    add(type, [("NS.objects", .array(elements))])
  }

  /// Adds an NSDictionary with string keys.
  public mutating func addDictionary(_ entries: [(String, PlainPropertyList)], type: String = "NSDictionary") -> PlainPropertyList {
    let keys = entries.map { add(.string($0.0)) }
    return add(type, [("NS.keys", .array(keys)), ("NS.objects", .array(entries.map(\.1)))])
  }

  /// The property list.
  public var plain: PlainPropertyList {
    .object([("$version", version), ("$archiver", .string(archiver)), ("$top", .object(top)), ("$objects", .array(objects))])
  }

  /// The archive as a binary property list.
  public var bytes: [UInt8] { RawPropertyList(plain).bytes }
}
