import Foundation
import RestorationNSCoder

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
