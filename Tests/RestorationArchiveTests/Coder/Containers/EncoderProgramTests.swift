import Foundation
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Random uses of an encoder give the value that Foundation's encoders give.
///
/// A program asks for containers again, writes to several in turns, leaves some empty, and writes with encoders of
/// superclasses late. It uses each key of a container once: what a key means that is used twice depends on the encoder
/// (``NestingTests``).
@Suite struct EncoderProgramTests {
  /// A value whose calls follow from a seed, whatever the encoder.
  struct Program: Encodable {
    let seed: UInt64
    let depth: Int

    func encode(to encoder: any Encoder) throws {
      var run = Run(random: SeededGenerator(seed: seed), depth: depth)
      try run.encode(to: encoder)
    }
  }

  /// The state of a program.
  private struct Run {
    var random: SeededGenerator
    let depth: Int
    private var fields: [Fields] = []
    private var lists: [any UnkeyedEncodingContainer] = []
    private var late: [(encoder: any Encoder, program: Program)] = []
    private var keyCount = 0

    /// A container with keys; those that were asked for again write into one value.
    private typealias Fields = KeyedEncodingContainer<AnyKey>

    init(random: SeededGenerator, depth: Int) {
      (self.random, self.depth) = (random, depth)
    }

    mutating func encode(to encoder: any Encoder) throws {
      if depth == 0 || random.oneIn(6) {
        var container = encoder.singleValueContainer()
        return try encodeScalar {
          try container.encode($0)
        } text: {
          try container.encode($0)
        } half: {
          try container.encode($0)
        }
      }
      let isList = random.oneIn(3)
      if isList { lists = [encoder.unkeyedContainer()] } else { fields = [encoder.container(keyedBy: AnyKey.self)] }
      for _ in 0..<random.below(12) {
        if random.oneIn(8) {
          // Asked for again.
          if isList { lists.append(encoder.unkeyedContainer()) } else { fields.append(encoder.container(keyedBy: AnyKey.self)) }
        }
        if !fields.isEmpty, lists.isEmpty || random.oneIn(2) {
          try writeField(random.below(fields.count))
        } else {
          try writeElement(random.below(lists.count))
        }
      }
      for (encoder, program) in late.shuffled(using: &random) { try program.encode(to: encoder) }
    }

    private mutating func nextKey() -> AnyKey {
      keyCount += 1
      // Keys of one container and of others alike.
      return AnyKey(stringValue: random.pick(["k", "é", "", "a long key that fits no small string "]) + "\(keyCount)")
    }

    private mutating func program() -> Program { Program(seed: random.next(), depth: depth - 1) }

    private mutating func encodeScalar(
      _ number: (Int) throws -> Void, text: (String) throws -> Void, half: (Double) throws -> Void
    ) throws {
      switch random.below(3) {
      case 0: try number(random.pick([0, -1, 7, 1 << 40]))
      case 1: try text(random.pick(["", "text", "é", "a text that is longer than fifteen bytes"]))
      default: try half(Double(random.below(100)) + 0.5)
      }
    }

    private mutating func writeField(_ index: Int) throws {
      let key = nextKey()
      switch random.below(8) {
      case 0: fields.append(fields[index].nestedContainer(keyedBy: AnyKey.self, forKey: key))
      case 1: lists.append(fields[index].nestedUnkeyedContainer(forKey: key))
      case 2: late.append((fields[index].superEncoder(forKey: key), program()))
      case 3: try fields[index].encode(program(), forKey: key)
      case 4: try fields[index].encodeNil(forKey: key)
      default:
        var container = fields[index]
        try encodeScalar {
          try container.encode($0, forKey: key)
        } text: {
          try container.encode($0, forKey: key)
        } half: {
          try container.encode($0, forKey: key)
        }
        fields[index] = container
      }
    }

    private mutating func writeElement(_ index: Int) throws {
      switch random.below(7) {
      case 0: fields.append(lists[index].nestedContainer(keyedBy: AnyKey.self))
      case 1: lists.append(lists[index].nestedUnkeyedContainer())
      case 2: try program().encode(to: lists[index].superEncoder())
      case 3: try lists[index].encode(program())
      default:
        var container = lists[index]
        try encodeScalar {
          try container.encode($0)
        } text: {
          try container.encode($0)
        } half: {
          try container.encode($0)
        }
        lists[index] = container
      }
    }
  }

  /// 20,000 in the second stage.
  @Test("programs of encoder calls give what JSONEncoder and PropertyListEncoder give", arguments: 0..<4)
  func agrees(_ part: Int) throws {
    for number in 0..<TestStage.count(100, exhaustive: 5000) {
      let program = Program(seed: UInt64(part * 5000 + number), depth: 3)
      let ours = try Fixture.coder { try $0.encode(program, forKey: "value") }.decode(Plain.self, forKey: "value")
      // Foundation's decoders would try each type in turn for each value, which takes longer than all the rest.
      let json = try Plain(JSONSerialization.jsonObject(with: JSONEncoder().encode(["value": program])))
      if json != ["value": ours] { Issue.record("seed \(program.seed): JSONEncoder gives \(json)") }
      let list = try unsafe PropertyListSerialization.propertyList(from: PropertyListEncoder().encode(["value": program]), format: nil)
      if Plain(list) != ["value": ours] { Issue.record("seed \(program.seed): PropertyListEncoder gives \(list)") }
    }
  }
}
