import Foundation
import RestorationNSCoder

/// A stored value, the call that reads it, and the result or the code of the error.
struct ScalarConversion: Sendable, CustomStringConvertible {
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

  static let numbers: [ScalarConversion] = [
    ScalarConversion(.integer(1), "bool", "true"), ScalarConversion(.integer(0), "bool", "false"),
    ScalarConversion(.integer(2), "bool", "number-out-of-range"),
    ScalarConversion(.float(1), "bool", "wrong-type"), ScalarConversion(.bool(true), "integer", "1"),
    ScalarConversion(.bool(true), "int32", "1"),
    ScalarConversion(.float(3), "integer", "3"), ScalarConversion(.float(1.5), "integer", "number-out-of-range"),
    ScalarConversion(.float(.nan), "integer", "number-out-of-range"), ScalarConversion(.float(.infinity), "int64", "number-out-of-range"),
    ScalarConversion(.float(0x1p63), "int64", "number-out-of-range"), ScalarConversion(.float(-0x1p63), "int64", "\(Int64.min)"),
    ScalarConversion(.integer(Int(Int32.max)), "int32", "\(Int32.max)"),
    ScalarConversion(.integer(Int(Int32.max) + 1), "int32", "number-out-of-range"),
    ScalarConversion(.integer(Int(Int32.min) - 1), "cint", "number-out-of-range"),
    ScalarConversion(.integer(big), "int64", "number-out-of-range"),
    ScalarConversion(.integer(7), "double", "7.0"), ScalarConversion(.integer(1 << 54), "double", "1.8014398509481984e+16"),
    ScalarConversion(.integer((1 << 53) + 1), "double", "number-out-of-range"), ScalarConversion(.integer(7), "float", "7.0"),
    ScalarConversion(.float(0.1), "float", "0.1"), ScalarConversion(.float(1e300), "float", "number-out-of-range"),
    ScalarConversion(.float(-.infinity), "float", "-inf"), ScalarConversion(.bool(true), "double", "wrong-type"),
    ScalarConversion(.integer(big), "number", "\(UInt64.max)"), ScalarConversion(.integer(big), "double", "number-out-of-range"),
  ]
  private static let big = ArchiveInteger(exactly: UInt64.max) ?? 0

  /// Values of the other kinds, which no scalar call accepts.
  static let others: [ScalarConversion] = {
    let values: [ArchiveValue] = [.string("1"), .date(Date(timeIntervalSinceReferenceDate: 0)), .uuid(UUID()), .url("a:b"), [1], ["a": 1]]
    let scalars = ["bool", "cint", "int32", "int64", "integer", "float", "double", "bytes", "buffer"]
    return values.flatMap { value in scalars.map { ScalarConversion(value, $0, "wrong-type") } }
      + scalars.dropLast(2).map { ScalarConversion(.data(Data([1])), $0, "wrong-type") }
  }()
}
