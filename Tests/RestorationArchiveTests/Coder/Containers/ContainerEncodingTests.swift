import ArchiveFormat
import SlowReader
import PropertyKit
import Foundation
import RestorationArchive
import Testing

/// Arrays and dictionaries encoded element by element.
@Suite struct ContainerEncodingTests {
  private struct Failure: Error {}

  private struct Selection: Codable, Equatable {
    var row = 3
    var name = "third"
  }

  /// A value that misuses the encoder of its node while it is encoded itself.
  private struct Intruder: Encodable {
    let coder: StateEncoder

    func encode(to encoder: any Encoder) throws {
      try coder.encode(1, forKey: "intruder")
    }
  }

  /// Encodes a value element by element, as an app would that has no array or dictionary of it.
  private static func encode(_ value: ArchiveValue, forKey key: String, with coder: StateEncoder) throws {
    switch value {
    case .array(let elements): try coder.encodeArray(forKey: key) { array in for element in elements { try encode(element, in: array) } }
    case .dictionary(let entries):
      try coder.encodeDictionary(forKey: key) { try encode(entries, with: $0) }
    default: try coder.encode(value, forKey: key)
    }
  }

  private static func encode(_ entries: ArchiveDictionary, with coder: StateEncoder) throws {
    for entry in entries.reversed() {
      if entry.isSensitive {
        try coder.encode(entry.value, forKey: entry.key, isSensitive: true)
      } else {
        try encode(entry.value, forKey: entry.key, with: coder)
      }
    }
  }

  private static func encode(_ value: ArchiveValue, in array: ElementEncoder) throws {
    switch value {
    case .null: try array.encodeNil()
    case .bool(let value): try array.encode(value)
    case .float(let value): try array.encode(value)
    case .string(let value): try array.encode(value)
    case .date(let value): try array.encode(value)
    case .data(let value): try array.encode(value)
    case .array(let elements): try array.encodeArray { inner in for element in elements { try encode(element, in: inner) } }
    case .dictionary(let entries):
      try array.encodeDictionary { try encode(entries, with: $0) }
    default: try array.encode(value)
    }
  }

  private static func states(in nodes: [ArchiveNode]) -> [ArchiveDictionary] {
    nodes.flatMap { [$0.state] + states(in: $0.children) }
  }

  private static func bytes(_ body: (StateEncoder) throws -> Void) throws -> Data {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState(body)
    return try writer.finish()
  }

  @Test("encoding element by element gives the same bytes as encoding the whole value")
  func encodesTheSame() throws {
    for seed in UInt64(1)...40 {
      var generator = TreeGenerator(seed: seed)
      for state in Self.states(in: generator.tree().nodes) {
        let whole = try Self.bytes { try $0.encodeState(state) }
        let pieces = try Self.bytes { coder in
          try Self.encode(state, with: coder)
        }
        #expect(pieces == whole, "seed \(seed)")
      }
    }
  }

  @Test("sensitive containers, Codable elements and references round-trip")
  func encodesMixedElements() throws {
    let archive = try Fixture.archive { coder in
      try coder.encodeArray(forKey: "list", isSensitive: true) { list in
        try list.encode(Selection())
        try list.encode(7)
        try list.encode(path: "root/list")
        try list.encode(path: nil)
        try list.encode(ArchiveValue.array([.bool(true)]))
      }
      try coder.encodeDictionary(forKey: "filter") { filter in
        try filter.encode("todo", forKey: "tag", isSensitive: true)
        try filter.encodeState(Selection())
      }
    }
    let state = try archive.decoder(at: Fixture.path)
    #expect(
      try state.value(forKey: "list")
        == .array([["row": 3, "name": "third"], 7, .reference("root/list"), .null, [true]]))
    #expect(try state.decode(Selection.self, forKey: "filter") == Selection())
    #expect(slowCheck([UInt8](try ArchiveTree(decoding: archive).encoded())).isEmpty)
  }

  @Test("a container whose encoding throws leaves the state unchanged")
  func dropsFailedContainers() throws {
    let archive = try Fixture.archive { coder in
      try coder.encode(1, forKey: "before")
      #expect(throws: Failure.self) {
        try coder.encodeArray(forKey: "list") { list in
          try list.encode(1)
          try list.encodeDictionary { dictionary in
            try dictionary.encode("x", forKey: "only here")
            throw Failure()
          }
        }
      }
      #expect(throws: Failure.self) { try coder.encodeDictionary(forKey: "before") { _ in throw Failure() } }
      try coder.encodeArray(forKey: "kept") { list in
        #expect(throws: Failure.self) { try list.encodeArray { _ in throw Failure() } }
        try list.encode(2)
      }
      try coder.encode(3, forKey: "after")
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["before": 1, "kept": [2], "after": 3])
  }

  @Test("an error within containers names the node and the outermost key; an error from another archive is unchanged")
  func namesOutermostKey() throws {
    let long = String(repeating: "k", count: 70_000)
    _ = try Fixture.archive { coder in
      let error = #expect(throws: ArchiveError.self) {
        try coder.encodeDictionary(forKey: "outer") { outer in
          try outer.encodeArray(forKey: "middle") { array in
            try array.encodeDictionary { try $0.encode(1, forKey: long) }
          }
        }
      }
      #expect(error?.code.rawValue == "string-length")
      #expect(error?.path == Fixture.path)
      #expect(error?.key == "outer")
      let foreign = #expect(throws: ArchiveError.self) {
        try coder.encodeArray(forKey: "outer") { _ in try ArchiveWriter().addNode("other") { try $0.encode(1, forKey: long) } }
      }
      #expect(foreign?.path == "other")
      #expect(foreign?.key == long)
    }
  }

  @Test("while a container is open, only its own encoder can write")
  func refusesOthers() throws {
    var kept: ElementEncoder?
    let archive = try Fixture.archive { coder in
      try coder.encodeArray(forKey: "list") { list in
        kept = list
        #expect(Self.code { try coder.encode(1, forKey: "key") } == .notStorable)
        #expect(Self.code { try coder.encode([1], forKey: "key") } == .notStorable)
        try list.encodeDictionary { dictionary in
          #expect(Self.code { try list.encode(1) } == .notStorable)
          #expect(Self.code { try list.encode([1]) } == .notStorable)
          try dictionary.encode(1, forKey: "inner")
        }
        #expect(Self.code { try list.encode(Intruder(coder: coder)) } == .notStorable)
        try list.encode(2)
      }
      #expect(Self.code { try coder.encode(Intruder(coder: coder), forKey: "value") } == .notStorable)
      #expect(Self.code { try kept?.encode(3) } == .notStorable)
      try coder.encode(4, forKey: "key")
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["list": [["inner": 1], 2], "key": 4])
  }

  private static func code(_ body: () throws -> Void) -> ArchiveError.Code? {
    #expect(throws: ArchiveError.self, performing: body)?.code
  }

  @Test("containers nest to the limit of the format, and no deeper (R-6.1-9)")
  func boundsDepth() throws {
    func nest(_ array: ElementEncoder, _ depth: Int) throws {
      if depth > 0 { try array.encodeArray { try nest($0, depth - 1) } }
    }
    func nest(_ dictionary: StateEncoder, _ depth: Int) throws {
      if depth > 0 { try dictionary.encodeDictionary(forKey: "below") { try nest($0, depth - 1) } }
    }
    let deepest = FormatLimits.nesting
    let archive = try Fixture.archive { coder in
      try coder.encodeArray(forKey: "array") { try nest($0, deepest - 1) }
      try coder.encodeDictionary(forKey: "dictionary") { try nest($0, deepest - 1) }
      #expect(Self.code { try coder.encodeArray(forKey: "deeper") { try nest($0, deepest) } } == .nestingDepth)
      #expect(Self.code { try coder.encodeDictionary(forKey: "deepest") { try nest($0, deepest) } } == .nestingDepth)
    }
    #expect(try archive.decoder(at: Fixture.path).allKeys == ["array", "dictionary"])
  }

  @Test("keys without ranks and inline keys are sorted too (R-6.2-3)", arguments: [255, 256, 257, 300, 1100])
  func sortsManyKeys(_ count: Int) throws {
    let long = String(repeating: "k", count: 64)
    let archive = try Fixture.archive { coder in
      for number in (0..<count).reversed() { try coder.encode(number, forKey: "key-\(number)") }
      for first in stride(from: 0, to: count, by: 50) {
        try coder.encodeDictionary(forKey: "nested-\(first)") { dictionary in
          try dictionary.encode(0, forKey: long)
          for number in (first..<min(first + 50, count)).reversed() { try dictionary.encode(number, forKey: "key-\(number)") }
          try dictionary.encode(1, forKey: long)
          try dictionary.encode(2, forKey: "key-\(first)")
        }
      }
    }
    let bytes = try ArchiveTree(decoding: archive).encoded()
    #expect(slowCheck([UInt8](bytes)).isEmpty)
    #expect(bytes.count == archive.byteCount)
    let nested = try archive.decoder(at: Fixture.path).decode([String: Int].self, forKey: "nested-0")
    #expect(nested["key-0"] == 2)
    #expect(nested[long] == 1)
    #expect(nested.count == 51)
  }
}
