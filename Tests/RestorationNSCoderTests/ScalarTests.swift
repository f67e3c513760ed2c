import Foundation
import RestorationNSCoder
import Testing

/// A scalar call of `NSCoder`, and a value for it.
struct ScalarCase: Sendable, CustomStringConvertible {
  let description: String
  let encode: @Sendable (NSCoder) -> Void
  /// Whether the value comes back.
  let matches: @Sendable (NSCoder) -> Bool
  let stored: ArchiveValue

  static func bool(_ value: Bool) -> ScalarCase {
    ScalarCase(
      description: "Bool \(value)", encode: { $0.encode(value, forKey: "k") }, matches: { $0.decodeBool(forKey: "k") == value },
      stored: .bool(value))
  }
  static func int32(_ value: Int32) -> ScalarCase {
    ScalarCase(
      description: "Int32 \(value)", encode: { $0.encode(value, forKey: "k") },
      matches: {
        $0.decodeInt32(forKey: "k") == value && $0.decodeCInt(forKey: "k") == value && $0.decodeInteger(forKey: "k") == Int(value)
      },
      stored: .integer(Int(value)))
  }
  static func int64(_ value: Int64) -> ScalarCase {
    ScalarCase(
      description: "Int64 \(value)", encode: { $0.encode(value, forKey: "k") },
      matches: { $0.decodeInt64(forKey: "k") == value && $0.decodeInteger(forKey: "k") == Int(value) }, stored: .integer(Int(value)))
  }
  static func integer(_ value: Int) -> ScalarCase {
    ScalarCase(
      description: "Int \(value)", encode: { $0.encode(value, forKey: "k") },
      matches: { $0.decodeInteger(forKey: "k") == value && $0.decodeInt64(forKey: "k") == Int64(value) }, stored: .integer(value))
  }
  static func float(_ value: Float) -> ScalarCase {
    ScalarCase(
      description: "Float \(value)", encode: { $0.encode(value, forKey: "k") },
      matches: { $0.decodeFloat(forKey: "k").bitPattern == value.bitPattern || (value.isNaN && $0.decodeFloat(forKey: "k").isNaN) },
      stored: .float(Double(value)))
  }
  static func double(_ value: Double) -> ScalarCase {
    ScalarCase(
      description: "Double \(value)", encode: { $0.encode(value, forKey: "k") },
      matches: { $0.decodeDouble(forKey: "k").bitPattern == value.bitPattern }, stored: .float(value))
  }
  static func bytes(_ count: Int) -> ScalarCase {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    return ScalarCase(
      description: "\(count) bytes",
      encode: { coder in unsafe bytes.withUnsafeBufferPointer { unsafe coder.encodeBytes($0.baseAddress, length: count, forKey: "k") } },
      matches: { coder in unsafe coder.withDecodedUnsafeBytes(forKey: "k") { unsafe $0.map { unsafe Array($0) } } == bytes },
      stored: .data(Data(bytes)))
  }

  static let all: [ScalarCase] =
    [true, false].map { bool($0) }
    + [0, 1, -1, 63, 64, 255, 256, .max, .min].map { int32($0) }
    + [0, -1, Int64(Int32.max) + 1, Int64(Int32.min) - 1, .max, .min].map { int64($0) }
    + [0, 1 << 53, .max, .min].map { integer($0) }
    + [0, -0.0, 0.1, .pi, .greatestFiniteMagnitude, -.leastNonzeroMagnitude, .infinity, -.infinity, .nan].map { float($0) }
    + [0, -0.0, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, .signalingNaN].map { double($0) }
    + [0, 1, 64, 70_000].map { bytes($0) }
}

/// A stored value, the call that reads it, and the result or the code of the error.
struct Conversion: Sendable, CustomStringConvertible {
  let stored: ArchiveValue
  let call: String
  let result: String
  var description: String { "\(call) of \(stored)" }

  init(_ stored: ArchiveValue, _ call: String, _ result: String) {
    self.stored = stored
    self.call = call
    self.result = result
  }

  /// The scalar calls, with their results as text.
  static let calls: [String: @Sendable (NSCoder) -> String] = [
    "bool": { "\($0.decodeBool(forKey: "k"))" }, "cint": { "\($0.decodeCInt(forKey: "k"))" }, "int32": { "\($0.decodeInt32(forKey: "k"))" },
    "int64": { "\($0.decodeInt64(forKey: "k"))" }, "integer": { "\($0.decodeInteger(forKey: "k"))" },
    "float": { "\($0.decodeFloat(forKey: "k"))" }, "double": { "\($0.decodeDouble(forKey: "k"))" },
    "bytes": { unsafe $0.withDecodedUnsafeBytes(forKey: "k") { unsafe "\($0?.count ?? -1)" } },
    "buffer": { unsafe $0.withDecodedUnsafeBufferPointer(forKey: "k") { unsafe "\($0?.count ?? -1)" } },
    "object": { $0.decodeObject(forKey: "k").map { "\(type(of: $0))" } ?? "nil" },
    "number": { $0.decodeObject(of: NSNumber.self, forKey: "k").map { "\($0)" } ?? "nil" },
    "list": { $0.decodePropertyList(forKey: "k").map { "\($0)" } ?? "nil" },
  ]
  /// The results of the calls for an absent key.
  static let absent = [
    "bool": "false", "cint": "0", "int32": "0", "int64": "0", "integer": "0", "float": "0.0", "double": "0.0", "bytes": "-1",
    "buffer": "-1",
    "object": "nil", "number": "nil", "list": "nil",
  ]

  static let numbers: [Conversion] = [
    Conversion(.integer(1), "bool", "true"), Conversion(.integer(0), "bool", "false"),
    Conversion(.integer(2), "bool", "number-out-of-range"),
    Conversion(.float(1), "bool", "wrong-type"), Conversion(.bool(true), "integer", "1"), Conversion(.bool(true), "int32", "1"),
    Conversion(.float(3), "integer", "3"), Conversion(.float(1.5), "integer", "number-out-of-range"),
    Conversion(.float(.nan), "integer", "number-out-of-range"), Conversion(.float(.infinity), "int64", "number-out-of-range"),
    Conversion(.float(0x1p63), "int64", "number-out-of-range"), Conversion(.float(-0x1p63), "int64", "\(Int64.min)"),
    Conversion(.integer(Int(Int32.max)), "int32", "\(Int32.max)"), Conversion(.integer(Int(Int32.max) + 1), "int32", "number-out-of-range"),
    Conversion(.integer(Int(Int32.min) - 1), "cint", "number-out-of-range"), Conversion(.integer(big), "int64", "number-out-of-range"),
    Conversion(.integer(7), "double", "7.0"), Conversion(.integer(1 << 54), "double", "1.8014398509481984e+16"),
    Conversion(.integer((1 << 53) + 1), "double", "number-out-of-range"), Conversion(.integer(7), "float", "7.0"),
    Conversion(.float(0.1), "float", "0.1"), Conversion(.float(1e300), "float", "number-out-of-range"),
    Conversion(.float(-.infinity), "float", "-inf"), Conversion(.bool(true), "double", "wrong-type"),
    Conversion(.integer(big), "number", "\(UInt64.max)"), Conversion(.integer(big), "double", "number-out-of-range"),
  ]
  private static let big = ArchiveInteger(exactly: UInt64.max) ?? 0

  /// Values of the other kinds, which no scalar call accepts.
  static let others: [Conversion] = {
    let values: [ArchiveValue] = [.string("1"), .date(Date(timeIntervalSinceReferenceDate: 0)), .uuid(UUID()), .url("a:b"), [1], ["a": 1]]
    let scalars = ["bool", "cint", "int32", "int64", "integer", "float", "double", "bytes", "buffer"]
    return values.flatMap { value in scalars.map { Conversion(value, $0, "wrong-type") } }
      + scalars.dropLast(2).map { Conversion(.data(Data([1])), $0, "wrong-type") }
  }()
}

@Suite struct ScalarTests {
  @Test("each scalar call stores a value of the format, and gets it back", arguments: ScalarCase.all)
  func roundTrips(_ scalar: ScalarCase) throws {
    let archive = try saved { scalar.encode($0) }
    #expect(try archive.nodeState() == ["k": scalar.stored])
    #expect(try archive.decode { $0.containsValue(forKey: "k") && scalar.matches($0) })
  }

  @Test(
    "a number is converted where nothing is lost; otherwise the call returns nothing and sets an error",
    arguments: Conversion.numbers + Conversion.others)
  func converts(_ conversion: Conversion) throws {
    let call = try #require(Conversion.calls[conversion.call])
    let (result, error) = try saved(["k": conversion.stored, "after": 5]).attempt { coder in
      let result = call(coder)
      // The other keys can still be decoded.
      #expect(coder.decodeInteger(forKey: "after") == 5)
      return result
    }
    if error == nil {
      #expect(result == conversion.result)
    } else {
      #expect(code(error) == conversion.result && result == Conversion.absent[conversion.call])
      #expect("\(try #require(error))".contains("path node, key k"))
    }
  }

  @Test("an absent key and a stored nil give nothing, without an error", arguments: Conversion.absent.keys.sorted())
  func absent(_ name: String) throws {
    let call = try #require(Conversion.calls[name])
    for archive in [try saved(["other": 1]), try saved(["k": .null])] {
      let (result, error) = try archive.attempt { call($0) }
      #expect(result == Conversion.absent[name] && error == nil)
    }
    #expect(try !saved(["other": 1]).decode { $0.containsValue(forKey: "k") })
    #expect(try saved { $0.encode(nil as Any?, forKey: "k") }.decode { $0.containsValue(forKey: "k") })
  }

  @Test("bytes without an address or with a negative length")
  func rareBytes() throws {
    let empty = try saved { unsafe $0.encodeBytes(nil, length: 0, forKey: "k") }
    #expect(try empty.nodeState() == ["k": .data(Data())])
    for length in [-1, 1] {
      #expect(code { _ = try saved { unsafe $0.encodeBytes(nil, length: length, forKey: "k") } } == "unsupported-call")
    }
    let byte: [UInt8] = [7]
    #expect(
      code {
        _ = try saved { coder in unsafe byte.withUnsafeBufferPointer { unsafe coder.encodeBytes($0.baseAddress, length: -1, forKey: "k") } }
      } == "unsupported-call")
  }

  @Test("points, sizes and rectangles, as the platform's own functions store them")
  func geometry() throws {
    let (point, size, rect) = (CGPoint(x: 1.5, y: -2), CGSize(width: 3, height: 4), CGRect(x: 1, y: 2, width: 3, height: 4.25))
    let archive = try saved { coder in
      coder.encode(point, forKey: "point")
      coder.encode(size, forKey: "size")
      coder.encode(rect, forKey: "rect")
    }
    #expect(try archive.decode { $0.decodePoint(forKey: "point") == point && $0.decodeSize(forKey: "size") == size })
    #expect(try archive.decode { $0.decodeRect(forKey: "rect") == rect })
    #expect(try archive.attempt { $0.decodePoint(forKey: "none") } == (.zero, nil))
  }

  @Test("a key that the format cannot store is an error; a repeated key replaces the value")
  func keys() throws {
    #expect(code { _ = try saved { $0.encode(1, forKey: "") } } == "empty-key")
    #expect(code { _ = try saved { $0.encode(1, forKey: String(repeating: "k", count: 65_536)) } } == "string-length")
    let repeated = try saved { coder in
      coder.encode(1, forKey: "k")
      coder.encode("two", forKey: "k")
    }
    #expect(try repeated.nodeState() == ["k": "two"])
  }
}

private func == (left: (CGPoint, (any Error)?), right: (CGPoint, (any Error)?)) -> Bool {
  left.0 == right.0 && (left.1 == nil) == (right.1 == nil)
}
