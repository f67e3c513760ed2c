import ArchiveFormat
import Foundation
import PropertyKit
import RestorationArchive
import Testing

/// Arrays and dictionaries decoded element by element.
@Suite struct ContainerDecodingTests {
  private struct Failure: Error {}

  private struct Selection: Codable, Equatable {
    var row = 3
    var name = "third"
  }

  /// Decodes a value piece by piece, as an app would that knows its form.
  private static func decode(like value: ArchiveValue, forKey key: String, with coder: StateDecoder) throws -> ArchiveValue {
    switch value {
    case .array(let elements):
      .array(try coder.decodeArray(forKey: key) { array in try elements.map { try decode(like: $0, in: &array) } })
    case .dictionary(let entries): .dictionary(try coder.decodeDictionary(forKey: key) { try decode(like: entries, with: $0) })
    case .bool: .bool(try coder.decode(Bool.self, forKey: key))
    case .string: .string(try coder.decode(String.self, forKey: key))
    case .float: .float(try coder.decode(Double.self, forKey: key))
    default: try #require(try coder.value(forKey: key))
    }
  }

  private static func decode(like entries: ArchiveDictionary, with coder: StateDecoder) throws -> ArchiveDictionary {
    #expect(coder.allKeys.count == entries.count && entries.allSatisfy { coder.containsValue(forKey: $0.key) })
    var decoded: ArchiveDictionary = [:]
    for entry in entries.reversed() {
      decoded[entry.key] = try decode(like: entry.value, forKey: entry.key, with: coder)
      decoded.setSensitive(entry.isSensitive, forKey: entry.key)
    }
    return decoded
  }

  private static func decode(like value: ArchiveValue, in array: inout ElementDecoder) throws -> ArchiveValue {
    if try array.decodeNil() { return .null }
    return switch value {
    case .bool: .bool(try array.decode(Bool.self))
    case .float: .float(try array.decode(Double.self))
    case .string: .string(try array.decode(String.self))
    case .date: .date(try array.decode(Date.self))
    case .data: .data(try array.decode(Data.self))
    case .reference: .reference(try #require(try array.decodePath()))
    case .array(let elements):
      .array(
        try array.decodeArray { inner in
          let values = try elements.map { try decode(like: $0, in: &inner) }
          #expect(inner.isAtEnd)
          return values
        })
    case .dictionary(let entries): .dictionary(try array.decodeDictionary { try decode(like: entries, with: $0) })
    default: try array.value()
    }
  }

  private static func states(in nodes: [ArchiveNode]) -> [ArchiveDictionary] { nodes.flatMap { [$0.state] + states(in: $0.children) } }

  private static func coder(_ state: ArchiveDictionary) throws -> StateDecoder {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encodeState(state) }
    return try ArchiveReader(writer.finish()).application().decoder()
  }

  /// Returns the error that `body` throws, as text.
  private static func error(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test("decoding piece by piece gives the same values as decoding the whole state")
  func decodesTheSame() throws {
    for seed in UInt64(1)...40 {
      var generator = TreeGenerator(seed: seed)
      for state in Self.states(in: generator.tree().nodes) {
        #expect(try Self.decode(like: state, with: Self.coder(state)) == state, "seed \(seed)")
      }
    }
  }

  @Test("elements of the app's own types, and Codable types of what was encoded piece by piece")
  func decodesOwnTypes() throws {
    let selection: ArchiveValue = ["row": 3, "name": "third"]
    let coder = try Self.coder(["list": [selection, 7, selection], "one": ["selection": selection, "row": 1], "row": 2])
    let list = try coder.decodeArray(forKey: "list") { elements in
      (try elements.decode(Selection.self), try elements.decode(Int.self), try elements.decode(Selection.self), elements.isAtEnd)
    }
    #expect(list == (Selection(), 7, Selection(), true))
    let one = try coder.decodeDictionary(forKey: "one") { one in
      #expect(coder === one)
      let selection = try one.decode(Selection.self, forKey: "selection")
      let row = try one.decodeDictionary(forKey: "selection") { try $0.decode(Int.self, forKey: "row") }
      return (selection, row, try one.decode(Int.self, forKey: "row"), one.containsValue(forKey: "list"))
    }
    #expect(one == (Selection(), 3, 1, false))
    #expect(try coder.decode(Int.self, forKey: "row") == 2)
  }

  @Test("what is left unread, and an error of the closure, change nothing")
  func leavesContainers() throws {
    let coder = try Self.coder(["a": [[1, "x"], 2], "b": ["a": ["c": 1]], "c": 3])
    #expect(throws: Failure.self) {
      try coder.decodeDictionary(forKey: "b") { try $0.decodeDictionary(forKey: "a") { _ in throw Failure() } }
    }
    try coder.decodeArray(forKey: "a") { elements in
      #expect(Self.error { try elements.decodeArray { _ in throw Failure() } } == "Failure()")
      #expect(Self.error { _ = try elements.decode(Int.self) }.contains("expected Int, found array"))
      // A call that throws does not advance.
      let first = try elements.decodeArray { try $0.decode(Int.self) }
      let isNull = try elements.decodeNil()
      let second = try elements.decode(Int.self)
      #expect(first == 1 && !isNull && second == 2)
    }
    #expect(try coder.allKeys.sorted() == ["a", "b", "c"] && coder.decode(Int.self, forKey: "c") == 3)
  }

  @Test("errors have the outermost key, and say what is wrong")
  func reportsErrors() throws {
    let coder = try Self.coder(["list": [1, ["x": 1]], "filter": ["tag": 1]])
    let errors = [
      Self.error { try coder.decodeArray(forKey: "none") { _ in } },
      Self.error { try coder.decodeArray(forKey: "filter") { _ in } },
      Self.error { try coder.decodeDictionary(forKey: "list") { _ in } },
      Self.error { _ = try coder.decodeDictionary(forKey: "filter") { try $0.decode(String.self, forKey: "tag") } },
      Self.error { _ = try coder.decodeDictionary(forKey: "filter") { try $0.decode(String.self, forKey: "none") } },
      Self.error { _ = try coder.decodeDictionary(forKey: "filter") { try $0.decode(Selection.self, forKey: "tag") } },
      Self.error { try coder.decodeArray(forKey: "list") { try $0.decodeArray { _ in } } },
      Self.error {
        _ = try coder.decodeArray(forKey: "list") { elements in
          _ = try elements.decode(Int.self)
          _ = try elements.decodeDictionary { try $0.decode(String.self, forKey: "x") }
        }
      },
      Self.error {
        try coder.decodeArray(forKey: "list") { elements in
          while true { _ = try elements.value() }
        }
      },
    ]
    let expected = [
      "expected one under this key, found none (path (application), key none)", "expected Array<Any>, found dictionary",
      "expected Dictionary<String, Any>, found array", "expected String, found integer",
      "expected one under the key none of a dictionary, found none (path (application), key filter)",
      "expected Dictionary<String, Any>, found integer", "expected Array<Any>, found integer", "expected String, found integer",
      "element: expected one more, found the end of the array (path (application), key list)",
    ]
    for (error, text) in zip(errors, expected) { #expect(error.contains(text)) }
    #expect(errors.map { $0.contains("key filter") || $0.contains("key list") } == [false] + [Bool](repeating: true, count: 8))
  }

  @Test("nesting has a limit, whatever the app does")
  func limitsNesting() throws {
    var value: ArchiveValue = 1
    for _ in 0..<40 { value = [value] }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(value, forKey: "deep") }
    let reader = try ArchiveReader(writer.finish(), limits: ReaderLimits(nesting: 16))
    let coder = try reader.application().decoder()
    func descend(_ elements: inout ElementDecoder, _ depth: Int) throws -> Int {
      try elements.decodeArray { try descend(&$0, depth + 1) }
    }
    let error = Self.error { _ = try coder.decodeArray(forKey: "deep") { try descend(&$0, 1) } }
    #expect(error.contains("at most 16 levels"), "\(error)")
  }
}
