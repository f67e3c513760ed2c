import PropertyKit
import Testing

@testable import ArchiveFormat

/// The building blocks of the writer.
@Suite struct WritingTests {
  @Test("keys stay known from one archive to the next, for any expected node count", arguments: [0, 1, 3, 4, 500])
  func assemblerKeepsKeys(_ expected: Int) throws {
    let assembler = ArchiveAssembler()
    for round in 0..<3 {
      for number in 0..<4 {
        let node = try assembler.addNode(
          parent: 0, identifier: "\(number)", type: nil, schemaVersion: 0, origin: nil, opensState: true)
        for key in ["b\(number)", "a"] {
          try assembler.states.beginEntry(key)
          assembler.states.buffer.writeNull()
        }
        assembler.endState()
        #expect(assembler.hasState(node))
      }
      #expect(round == 0 || assembler.states.sortedKeys { _ in true } == Array(0..<5))
      _ = try assembler.finish(ArchiveSurroundings(header: [], sections: []))
      assembler.makeReady()
      assembler.reset(nodeCount: expected)
      #expect(assembler.states.keyCount == 5)
    }
  }

  @Test("an output buffer behaves like an array", arguments: UInt64(0)..<20)
  func bufferIsLikeArray(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let buffer = OutputBuffer(capacity: random.below(40), gap: random.below(60))
    var model: [UInt8] = []
    for _ in 0..<400 {
      switch random.below(8) {
      case 0:
        let byte = UInt8(truncatingIfNeeded: random.next())
        buffer.append(byte)
        model.append(byte)
      case 1:
        let bytes = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        buffer.append(contentsOf: bytes.span)
        model += bytes
      case 2:
        let bytes = (0..<random.below(30)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        buffer.prepend(bytes.span)
        model = bytes + model
      case 3:
        let value = random.next() >> UInt64(random.below(64))
        let count = random.below(9)
        buffer.append(value, byteCount: count)
        model += (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
      case 4 where !model.isEmpty:
        let count = random.below(model.count + 1)
        buffer.truncate(to: count)
        model.removeSubrange(count...)
      case 5 where !model.isEmpty:
        let index = random.below(model.count)
        buffer.closeLength(at: index)
        model.replaceSubrange(index...index, with: Self.varint(model.count - index - 1))
      case 6 where !model.isEmpty:
        let index = random.below(model.count)
        buffer.replaceByte(at: index, with: 7)
        model[index] = 7
        #expect(buffer.withSpan { $0[index] } == 7)
      default:
        let value = random.next() >> UInt64(32 + random.below(32))
        buffer.appendVarint(UInt32(value))
        model += Self.varint(Int(value))
      }
      #expect(buffer.count == model.count)
    }
    #expect(buffer.makeArray() == model)
  }

  @Test("any number of bytes is copied completely, with nothing after them", arguments: 0...140)
  func copiesWhole(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) }
    let buffer = OutputBuffer(capacity: 0)
    buffer.append(contentsOf: bytes.span)
    buffer.append(0xF0 as UInt8)
    buffer.append(0xF1 as UInt8)
    buffer.append(contentsOf: bytes.span)
    #expect(buffer.makeArray() == bytes + [0xF0, 0xF1] + bytes)
    let target = OutputBuffer(capacity: 0)
    // The second piece ends with the source, so a read past its end would be out of bounds.
    let copied = target.appendPieces(upTo: 2 * count + 1, of: buffer) { pieces in
      pieces.append(from: count, length: 1)
      pieces.append(from: count + 2, length: count)
      pieces.append(from: 0, length: count)
      return pieces.count
    }
    #expect(copied == 2 * count + 1)
    #expect(target.makeArray() == [0xF0] + bytes + bytes)
  }

  private static func varint(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  @Test("an interner numbers different texts differently", arguments: UInt64(0)..<4)
  func internerNumbersTexts(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var interner = ByteInterner()
    var model: [[UInt8]: Int] = [:]
    for _ in 0..<3000 {
      // Many texts share their first eight bytes or their length.
      let text =
        Array("\(random.oneIn(2) ? "a common beginning " : "")\(random.below(900))".utf8) + [UInt8](repeating: 0, count: random.below(3))
      let number = interner.intern(text.span)
      #expect(number == model[text] ?? model.count)
      model[text] = number
    }
    #expect(interner.count == model.count)
    for (text, number) in model {
      #expect(interner.withBytes(of: number) { $0.makeArray() } == text)
      let other = random.below(model.count)
      let isBefore = interner.withBytes(of: other) { text.span.precedes($0) }
      #expect((interner.compare(number, other) < 0) == isBefore)
    }
  }

  @Test("texts compare as unsigned bytes (R-1.3-1)")
  func comparesText() {
    let ascending = ["", "\0", "\0\0", "a", "aa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaab", "b", "z", "é", "日", "😀"]
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        #expect(first.precedesAsText(second) == (left < right))
        #expect(first.isIdenticalText(to: second) == (left == right))
      }
    }
  }

  @Test("a repeated header key or a value of the wrong type is rejected (R-3.3-1, R-4.3-8)")
  func refusesHeaders() {
    func code(_ header: [HeaderEntry]) -> FormatErrorCode? {
      do throws(FormatError) {
        _ = try ArchiveSurroundings(header: header, sections: [])
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(["a.b", "c.d"].map { HeaderEntry(key: $0, value: .bool(true)) }) == nil)
    #expect(code(["a.b", "c.d", "a.b"].map { HeaderEntry(key: $0, value: .bool(true)) }) == .headerOrder)
    #expect(code([HeaderEntry(key: "timestamp", value: .string("now"))]) == .headerType)
  }
}
