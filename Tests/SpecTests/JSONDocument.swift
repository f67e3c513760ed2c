@testable import RestorationArchive

/// A JSON value whose strings are compared as bytes, for the tests of the JSON Schema.
indirect enum JSONDocument: Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case array([JSONDocument])
  case object([[UInt8]: JSONDocument])

  /// The error for an object whose members are not sorted.
  struct IsNotSorted: Error {}

  /// Parses a text; with `sorted`, the members of each object must be in ascending order.
  init(parsing text: [UInt8], sorted: Bool = false) throws {
    try self.init(text, try JSONScanner.scan(text), at: 0, sorted)
  }

  private init(_ text: [UInt8], _ tokens: [JSONToken], at index: Int, _ sorted: Bool) throws {
    let token = tokens[index]
    switch token.kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .number: self = .number(Double(String(decoding: text[token.start..<token.end], as: UTF8.self)) ?? .nan)
    case .string, .escapedString: self = .string(JSONStringDecoder.bytes(of: token, in: text))
    case .array:
      var elements: [JSONDocument] = []
      var next = index + 1
      while next < token.next {
        elements.append(try JSONDocument(text, tokens, at: next, sorted))
        next = tokens[next].next
      }
      self = .array(elements)
    case .object:
      var members: [[UInt8]: JSONDocument] = [:]
      var next = index + 1
      var last: [UInt8]?
      while next < token.next {
        let name = JSONStringDecoder.bytes(of: tokens[next], in: text)
        if sorted, let last, !last.lexicographicallyPrecedes(name) { throw IsNotSorted() }
        last = name
        members[name] = try JSONDocument(text, tokens, at: next + 1, sorted)
        next = tokens[next + 1].next
      }
      self = .object(members)
    }
  }

  /// The member under a key, if this is an object that has it.
  subscript(_ key: String) -> JSONDocument? {
    if case .object(let members) = self { members[Array(key.utf8)] } else { nil }
  }

  /// The text, if this is a string.
  var text: String? {
    if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The number, if this is one.
  var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The elements, if this is an array.
  var elements: [JSONDocument] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// The members by name, if this is an object.
  var members: [[UInt8]: JSONDocument] {
    if case .object(let members) = self { members } else { [:] }
  }
}
