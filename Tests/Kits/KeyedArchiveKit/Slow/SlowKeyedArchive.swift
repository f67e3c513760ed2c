/// The values of Foundation in a keyed archive, as a tree: a second reader of what the library writes.
///
/// A URL is `{"url": text}`, a UUID `{"uuid": bytes}`, NSNull is null, an object of any other class is refused.
public enum SlowKeyedArchive {
  /// Reads the named value of an archive.
  public static func read(_ bytes: [UInt8], key: String = "root") throws -> PlainPropertyList {
    let list = try SlowPropertyList.read(bytes)
    guard list["$archiver"] == .string("NSKeyedArchiver"), list["$version"] == .integer(100_000),
      case .array(let objects)? = list["$objects"], objects.first == .string("$null"), let root = list["$top"]?[key]
    else { throw SlowPropertyList.Refusal.invalid("archive") }
    return try value(root, objects, depth: 0)
  }

  private static func value(_ value: PlainPropertyList, _ objects: [PlainPropertyList], depth: Int) throws -> PlainPropertyList {
    guard depth < 2000, case .uid(let uid) = value, uid > 0, uid < UInt64(objects.count) else {
      throw SlowPropertyList.Refusal.invalid("uid")
    }
    func inner(_ value: PlainPropertyList) throws -> PlainPropertyList { try self.value(value, objects, depth: depth + 1) }
    func list(_ value: PlainPropertyList?) throws -> [PlainPropertyList] {
      guard case .array(let elements)? = value else { throw SlowPropertyList.Refusal.invalid("objects") }
      return try elements.map(inner)
    }
    let object = objects[Int(uid)]
    guard case .dictionary = object else { return object }
    guard case .uid(let type)? = object["$class"], case .text(let name)? = objects[Int(type)]["$classname"] else {
      throw SlowPropertyList.Refusal.invalid("class")
    }
    switch String(decoding: name, as: UTF8.self) {
    case "NSNull": return .null
    case "NSString": return object["NS.string"] ?? .null
    case "NSDate":
      guard case .real(let bits)? = object["NS.time"] else { throw SlowPropertyList.Refusal.invalid("date") }
      return .date(bits)
    case "NSUUID": return .object([("uuid", object["NS.uuidbytes"] ?? .null)])
    case "NSURL":
      guard object["NS.base"] == .uid(0), let text = object["NS.relative"] else { throw SlowPropertyList.Refusal.invalid("url") }
      return .object([("url", try inner(text))])
    case "NSArray": return .array(try list(object["NS.objects"]))
    case "NSDictionary":
      let (keys, values) = (try list(object["NS.keys"]), try list(object["NS.objects"]))
      guard keys.count == values.count else { throw SlowPropertyList.Refusal.invalid("counts") }
      return .dictionary(zip(keys, values).map { PlainEntry(key: $0, value: $1) })
    default: throw SlowPropertyList.Refusal.invalid("class")
    }
  }
}
