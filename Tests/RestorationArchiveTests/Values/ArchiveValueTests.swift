import Foundation
import RestorationArchive
import Testing

/// Values as apps and tools use them: extreme numbers, order, entries and their marks.
@Suite struct ArchiveValueTests {
  static let ascending: [(ArchiveInteger?, String)] = [
    (ArchiveInteger(exactly: Int64.min), "-9223372036854775808"), (ArchiveInteger(exactly: Int64.min + 1), "-9223372036854775807"),
    (-2, "-2"), (-1, "-1"), (0, "0"), (1, "1"), (ArchiveInteger(exactly: Int64.max), "9223372036854775807"),
    (ArchiveInteger(exactly: UInt64.max), "18446744073709551615"),
  ]

  @Test("integers from -2^63 to 2^64-1 compare in order and print their digits (R-2-1)")
  func ordersIntegers() throws {
    let numbers = try Self.ascending.map { try #require($0.0) }
    for (place, number) in numbers.enumerated() {
      #expect(number.description == Self.ascending[place].1)
      for (otherPlace, other) in numbers.enumerated() {
        #expect((number < other) == (place < otherPlace))
        #expect((number == other) == (place == otherPlace))
      }
    }
    #expect(numbers.shuffled().sorted() == numbers)
  }

  @Test("out-of-range integers are rejected, and do not convert")
  func boundsIntegers() {
    #expect(ArchiveInteger(exactly: Int128(UInt64.max) + 1) == nil)
    #expect(ArchiveInteger(exactly: Int128(Int64.min) - 1) == nil)
    #expect(ArchiveInteger(exactly: Int128(-5)) == -5)
    let (most, least) = (ArchiveInteger(exactly: UInt64.max), ArchiveInteger(exactly: Int64.min))
    #expect(most?.converted(to: Int64.self) == nil && most?.converted() == UInt64.max)
    #expect(least?.converted(to: UInt64.self) == nil && least?.converted() == Int64.min)
    #expect(ArchiveInteger(200).converted(to: Int8.self) == nil && ArchiveInteger(200).converted(to: UInt8.self) == 200)
    #expect(ArchiveInteger(-1).converted(to: Int8.self) == -1)
  }

  @Test("values are equal if an archive stores them as the same bytes")
  func comparesValues() {
    let different: [ArchiveValue] = [
      nil, false, true, 0, -1, 0.0, -0.0, .float(.nan), .float(.signalingNaN), "é", "e\u{301}", "", .url("é"), .url("e\u{301}"),
      .data(Data()),
      .data(Data([0])), .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.0)),
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), [], [nil], [:], ["a": nil], ["b": nil],
      .dictionary(ArchiveDictionary([.init(key: "a", value: nil, isSensitive: true)])), .reference("a"), .reference("a/b"),
    ]
    for (place, value) in different.enumerated() {
      for (otherPlace, other) in different.enumerated() { #expect((value == other) == (place == otherPlace), "\(value), \(other)") }
    }
  }

  @Test("a dictionary keeps the order of its keys, the last of duplicate keys, and marks")
  func editsDictionaries() {
    var dictionary = ArchiveDictionary()
    #expect(dictionary.isEmpty && dictionary == [:] && dictionary.entry(forKey: "a") == nil)
    dictionary["b"] = 2
    dictionary["a"] = 1
    dictionary["c"] = Optional<ArchiveValue>.none
    dictionary.setSensitive(true, forKey: "b")
    dictionary.setSensitive(true, forKey: "absent")
    dictionary["b"] = 3
    #expect(dictionary.map(\.key) == ["a", "b"])
    #expect(dictionary.entry(forKey: "b") == .init(key: "b", value: 3, isSensitive: true))
    #expect(dictionary.entry(forKey: "absent") == nil)
    // A null value is a value.
    dictionary["null"] = ArchiveValue.null
    #expect(dictionary["absent"] == Optional<ArchiveValue>.none)
    #expect(dictionary["null"] == Optional<ArchiveValue>.some(.null))
    dictionary["null"] = Optional<ArchiveValue>.none
    dictionary["a"] = Optional<ArchiveValue>.none
    #expect(dictionary.count == 1)
    #expect(ArchiveDictionary([("x", 1), ("a", 2), ("x", 3), ("x", 4)]) == ["a": 2, "x": 4])
  }

  @Test("sensitive entries are found at any depth, in states and attributes")
  func findsSensitiveValues() {
    let secret = ArchiveDictionary([.init(key: "pin", value: 1, isSensitive: true)])
    let nested: ArchiveDictionary = ["list": [1, ["inner": .dictionary(secret)]]]
    let plain: ArchiveDictionary = ["list": [1, ["inner": ["pin": 1]]]]
    #expect(nested.hasSensitiveValues && !plain.hasSensitiveValues)
    let child = ArchiveNode("child", state: nested)
    let note = ArchiveNode("note", attributes: ["a.b": .dictionary(secret)])
    #expect(ArchiveTree(applicationState: secret).hasSensitiveValues)
    #expect(ArchiveTree(nodes: [ArchiveNode("root", children: [ArchiveNode("other"), child])]).hasSensitiveValues)
    #expect(ArchiveTree(nodes: [note]).hasSensitiveValues)
    #expect(!ArchiveTree(applicationState: ["a": 1], nodes: [ArchiveNode("root", state: ["pin": 1])]).hasSensitiveValues)
  }

  @Test("versions are ordered by major, then minor version (R-9.1-1)")
  func ordersVersions() throws {
    let current = FormatVersion.current
    #expect(current.description == "1.0")
    #expect(!(current < current))
    let versions = try [1, 0x0100, 0x0101].map { try Self.version(minor: $0) }
    #expect(versions.map(\.description) == ["1.1", "1.256", "1.257"])
    #expect(versions.reversed().sorted() == versions)
    #expect(current < versions[0] && versions[2] > current)
  }

  /// The version of an archive of a later minor version, made from its JSON form.
  private static func version(minor: Int) throws -> FormatVersion {
    let json = Data(#"{"restorationArchive": 1, "minorVersion": \#(minor)}"#.utf8)
    return try ArchiveReader(ArchiveTree(json: json).encoded()).formatVersion
  }
}
