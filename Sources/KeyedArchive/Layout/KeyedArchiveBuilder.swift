import FoundationValues

/// Builds the property list of a keyed archive from Foundation's value classes, or a plain property list of the same
/// values.
struct KeyedArchiveBuilder {
  private var list = PropertyList()
  /// The numbers of the objects in the property list, in the order of the table.
  private var table: [Int] = []
  private var classes: [String: Int] = [:]
  private var scalars: [PropertyList.Object: Int] = [:]
  private var texts: [[UInt8]: Int] = [:]
  private var uids: [Int: Int] = [:]

  /// Whether the list is no keyed archive: the numbers of objects are those of the list.
  private let isPlain: Bool

  init(plain: Bool = false) {
    isPlain = plain
    table.append(text("$null"))
  }

  /// Returns the property list, with one named value.
  mutating func finish(top key: String, _ object: Int) -> PropertyList {
    if isPlain {
      list.top = object
      return list
    }
    let named = reference(object)
    let top = dictionary([(key, named)])
    let parts = [list.add(.integer(100_000)), text("NSKeyedArchiver"), top, list.add(.array(table))]
    list.top = dictionary(Array(zip(["$version", "$archiver", "$top", "$objects"], parts)))
    return list
  }

  // MARK: Objects

  /// Adds a bare number, Boolean value or data, equal ones once; returns its number in the table.
  mutating func addScalar(_ object: PropertyList.Object) -> Int {
    if let number = scalars[object] { return number }
    let number = add(list.add(object))
    scalars[object] = number
    return number
  }

  /// Adds a number; each bit pattern is one of its own.
  mutating func addReal(_ value: Double) -> Int {
    add(list.add(.real(value)))
  }

  /// Adds a string, equal ones once.
  mutating func addString(_ value: String) -> Int {
    let bytes = Array(value.utf8)
    if let number = texts[bytes] { return number }
    // A bare "$null" would be nil.
    let number =
      value == KeyedLayout.null && !isPlain
      ? addObject("NSString", [("NS.string", list.add(.string(value)))]) : add(list.add(.string(value)))
    texts[bytes] = number
    return number
  }

  mutating func addNull() -> Int {
    isPlain ? dictionary([(KeyedLayout.null, list.add(.bool(true)))]) : addScalarObject("NSNull")
  }

  private mutating func addScalarObject(_ name: String) -> Int {
    if let number = texts[Array("$class \(name)".utf8)] { return number }
    let number = addObject(name, [])
    texts[Array("$class \(name)".utf8)] = number
    return number
  }

  mutating func addDate(_ seconds: Double) -> Int {
    isPlain ? list.add(.date(seconds)) : addObject("NSDate", [("NS.time", list.add(.real(seconds)))])
  }

  mutating func addUUID(_ bytes: [UInt8]) -> Int {
    if isPlain { return dictionary([(KeyedLayout.uuid, list.add(.string(UUID(bytes: bytes).uuidString.lowercased())))]) }
    return addObject("NSUUID", [("NS.uuidbytes", list.add(.data(bytes)))])
  }

  mutating func addURL(_ text: String) -> Int {
    if isPlain { return dictionary([(KeyedLayout.url, list.add(.string(text)))]) }
    let relative = addString(text)
    return addObject("NSURL", [("NS.base", reference(0)), ("NS.relative", reference(relative))])
  }

  mutating func addArray(_ numbers: [Int]) -> Int {
    if isPlain { return list.add(.array(numbers)) }
    let elements = numbers.map { reference($0) }
    return addObject("NSArray", [("NS.objects", list.add(.array(elements)))])
  }

  mutating func addDictionary(_ entries: [(key: String, value: Int)]) -> Int {
    if isPlain { return dictionary(entries.map { ($0.key, $0.value) }) }
    let keys = entries.map { addString($0.key) }
    let (keyList, valueList) = (keys.map { reference($0) }, entries.map { reference($0.value) })
    return addObject("NSDictionary", [("NS.keys", list.add(.array(keyList))), ("NS.objects", list.add(.array(valueList)))])
  }

  // MARK: Parts

  private mutating func addObject(_ name: String, _ fields: [(String, Int)]) -> Int {
    let type = reference(addClass(name))
    return add(dictionary([("$class", type)] + fields))
  }

  private mutating func addClass(_ name: String) -> Int {
    if let number = classes[name] { return number }
    let names = list.add(.array([text(name), text("NSObject")]))
    let number = add(dictionary([("$classname", text(name)), ("$classes", names)]))
    classes[name] = number
    return number
  }

  private mutating func add(_ number: Int) -> Int {
    if isPlain { return number }
    table.append(number)
    return table.count - 1
  }

  private mutating func dictionary(_ entries: [(String, Int)]) -> Int {
    let entries = entries.map { PropertyList.Entry(key: text($0.0), value: $0.1) }
    return list.add(.dictionary(entries))
  }

  /// Returns the number of a string in the property list; few different ones are asked for.
  private mutating func text(_ text: String) -> Int {
    list.add(.string(text))
  }

  private mutating func reference(_ number: Int) -> Int {
    if let uid = uids[number] { return uid }
    let uid = list.add(.uid(UInt32(clamping: number)))
    uids[number] = uid
    return uid
  }
}
