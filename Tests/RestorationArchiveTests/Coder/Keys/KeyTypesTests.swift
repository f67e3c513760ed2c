import RestorationArchive
import Testing

/// Values with many key types at once: data cached for one key type is not used for another.
@Suite struct KeyTypesTests {
  /// A type with its own key type for each `Tag`.
  struct Row<Tag>: Codable, Equatable {
    var number: Int
    var text: String
  }

  /// A similar type with other keys in another order.
  struct Line<Tag>: Codable, Equatable {
    var title: String
    var place: Int
  }

  struct Table<Tag>: Codable, Equatable {
    var rows: [Row<Tag>]
    var last: Row<[Tag]>
    var lines: [Line<Tag>]
  }

  /// A value whose fields are stored under two key types, written alternately.
  struct Mixed: Codable, Equatable {
    enum First: CodingKey { case one, two }
    enum Second: CodingKey { case three, four }

    var values: [Int]

    init(_ values: [Int]) {
      self.values = values
    }

    init(from decoder: any Decoder) throws {
      let (first, second) = (try decoder.container(keyedBy: First.self), try decoder.container(keyedBy: Second.self))
      values = [
        try first.decode(Int.self, forKey: .one), try second.decode(Int.self, forKey: .three), try first.decode(Int.self, forKey: .two),
        try second.decode(Int.self, forKey: .four),
      ]
    }

    func encode(to encoder: any Encoder) throws {
      var (first, second) = (encoder.container(keyedBy: First.self), encoder.container(keyedBy: Second.self))
      try first.encode(values[0], forKey: .one)
      try second.encode(values[1], forKey: .three)
      try first.encode(values[2], forKey: .two)
      try second.encode(values[3], forKey: .four)
    }
  }

  private func table<Tag>(_ tag: Tag.Type, _ number: Int) -> Table<Tag> {
    Table(
      rows: (0..<4).map { Row(number: number + $0, text: "row \($0)") }, last: Row(number: -number, text: "last"),
      lines: (0..<4).map { Line(title: "line \($0)", place: number - $0) })
  }

  private func encode<Tag>(_ tag: Tag.Type, _ count: Int, to encoder: StateEncoder) throws {
    guard count > 0 else { return }
    try encoder.encode(table(tag, count), forKey: "table \(count)")
    // Key types used before are used again.
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

  @Test("key types are kept apart, within and beyond the size of the cache, nested and alternating", arguments: [1, 3, 8, 20])
  func keepsApart(_ count: Int) throws {
    try check(Int.self, count, from: Fixture.coder { try encode(Int.self, count, to: $0) })
  }

  @Test("a value can use two key types")
  func keepsApartWithinAValue() throws {
    let values = (0..<5).map { Mixed([$0, $0 + 10, $0 + 20, $0 + 30]) }
    #expect(try Fixture.roundTrip(values) == values)
  }

  @Test("each value is stored under the keys of its own key type")
  func writesTheKeys() throws {
    let archive = try Fixture.archive { coder in
      for number in 1...3 {
        try coder.encode(Row<Int>(number: number, text: "row"), forKey: "row \(number)")
        try coder.encode(Line<Int>(title: "line", place: number), forKey: "line \(number)")
      }
    }
    let state = try #require(try archive.node(at: Fixture.path)?.state())
    for number in 1...3 {
      #expect(state["row \(number)"] == .dictionary(["number": .integer(number), "text": "row"]))
      #expect(state["line \(number)"] == .dictionary(["place": .integer(number), "title": "line"]))
    }
  }
}
