/// An integer from -2^63 to 2^64-1, the range of integers in an archive (Spec §2).
public struct ArchiveInteger: Sendable, Hashable {
  /// The number, or -1 minus the number if it is negative.
  let bits: UInt64
  /// Whether the number is negative.
  public let isNegative: Bool

  init(magnitudeBits: UInt64) {
    bits = magnitudeBits
    isNegative = false
  }

  init(complement: UInt64) {
    bits = complement
    isNegative = true
  }

  /// Creates an integer, or nil if the value is out of range.
  public init?(exactly value: some BinaryInteger) {
    if let value = UInt64(exactly: value) {
      self.init(magnitudeBits: value)
    } else if let value = Int64(exactly: value) {
      self.init(complement: UInt64(bitPattern: ~value))
    } else {
      return nil
    }
  }

  /// Creates an integer.
  public init(_ value: Int) {
    self.init(Int64(value))
  }

  init(_ value: Int64) {
    bits = value < 0 ? UInt64(bitPattern: ~value) : UInt64(bitPattern: value)
    isNegative = value < 0
  }

  /// Returns the number as an integer type, or nil if it does not fit.
  @inline(__always)
  public func converted<Value: FixedWidthInteger>(to type: Value.Type = Value.self) -> Value? {
    isNegative ? Value(exactly: ~Int64(bitPattern: bits)) : Value(exactly: bits)
  }
}

extension ArchiveInteger: Comparable {
  /// Returns whether the left number is smaller.
  public static func < (left: ArchiveInteger, right: ArchiveInteger) -> Bool {
    switch (left.isNegative, right.isNegative) {
    case (false, false): left.bits < right.bits
    case (true, true): left.bits > right.bits
    case (let isLeftNegative, _): isLeftNegative
    }
  }
}

extension ArchiveInteger: ExpressibleByIntegerLiteral {
  /// Creates an integer from a literal.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}

extension ArchiveInteger: CustomStringConvertible {
  /// The number in decimal digits.
  public var description: String {
    isNegative ? "\(~Int64(bitPattern: bits))" : "\(bits)"
  }
}
