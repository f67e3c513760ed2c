public import RestorationArchive

/// A reference to another restorable object within a `Codable` value.
///
///     struct Selection: Codable {
///       var document: Reference<Document>
///       var line: Int
///     }
///
/// The reference is stored as the path of the object, and decodes to the object restored at that path. Forward
/// references and cycles are supported. An object without a path is stored as null, which the report records.
public struct Reference<Object>: Codable {
  /// The object, held strongly.
  public var object: Object? {
    didSet { path = nil }
  }

  /// The decoded path, if no object was found there; it is encoded again as long as state waits there.
  public private(set) var path: RestorationPath?

  /// Creates a reference to an object, or a null reference.
  public init(_ object: Object? = nil) {
    self.object = object
  }

  /// Decodes the path, and finds the object that was restored for it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self.init()
      return
    }
    let target = try container.decode(RestorationPath.self)
    let context = decoder.userInfo[.restorationSession] as? CoderContext
    let found = context?.object(at: target, forKey: decoder.codingPath.last?.stringValue)
    if let found, !(found is Object) {
      throw DecodingError.typeMismatch(
        Object.self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "the reference leads to a \(type(of: found)) and no \(Object.self)"))
    }
    self.init(found as? Object)
    if object == nil { path = context?.currentPath(of: target) ?? target }
  }

  /// Encodes the path of the object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let context = encoder.userInfo[.capture] as? CoderContext
    let waiting = path.flatMap { context == nil ? $0 : context?.pathOfWaiting(at: $0) }
    let target = try object.map { try context?.path(ofAny: $0) } ?? waiting
    if let target { try container.encode(target) } else { try container.encodeNil() }
  }
}
