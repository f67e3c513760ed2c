import RestorationArchive
import Testing

/// Values of many types of keys at a time: what coders remember of one type is not taken for that of another.
@Suite struct KeyTypesTests {
  /// A type, and a type of keys, for each `Tag`.
  struct Row<Tag>: Codable, Equatable {
    var number: Int
    var text: String
  }

  struct Table<Tag>: Codable, Equatable {
    var first: [Row<Tag>]
    var last: Row<[Tag]>
    var second: [Row<[Tag]>]
  }

  private func table<Tag>(_ tag: Tag.Type, _ number: Int) -> Table<Tag> {
    Table(
      first: (0..<4).map { Row(number: number + $0, text: "first \($0)") }, last: Row(number: -number, text: "last"),
      second: (0..<4).map { Row(number: number - $0, text: "second \($0)") })
  }

  private func encode<Tag>(_ tag: Tag.Type, _ count: Int, to encoder: StateEncoder) throws {
    guard count > 0 else { return }
    try encoder.encode(table(tag, count), forKey: "table \(count)")
    // Types of keys that came before come again.
    try encode(Tag?.self, count - 1, to: encoder)
    try encoder.encode(table(tag, 100 + count), forKey: "table \(100 + count)")
  }

  private func check<Tag>(_ tag: Tag.Type, _ count: Int, from decoder: StateDecoder) throws {
    guard count > 0 else { return }
    for number in [count, 100 + count] {
      #expect(try decoder.decode(Table<Tag>.self, forKey: "table \(number)") == table(tag, number))
    }
    try check(Tag?.self, count - 1, from: decoder)
  }

  @Test("as many as are remembered, and more, one within another and in turns", arguments: [1, 3, 8, 20])
  func keepsApart(_ count: Int) throws {
    try check(Int.self, count, from: Fixture.coder { try encode(Int.self, count, to: $0) })
  }
}
