import ArchiveFormat

/// The numbers of the JSON form (rules R-J6-1 and R-J6-2 of `Spec/json.md`).
enum JSONNumber {
  /// Returns the value of a number: an integer if it has no fraction or exponent, otherwise a float64.
  ///
  /// The indexes of the slice are the offsets of its bytes in the text. Throws `json-number` if the number is out of
  /// range.
  static func value(of word: ArraySlice<UInt8>) throws(FormatError) -> ArchiveValue {
    let digits = String(decoding: word, as: UTF8.self)
    if word.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) {
      guard let value = Double(digits), value.isFinite else {
        throw FormatError(.jsonNumber, at: word.startIndex, "number", expected: .text("a finite float64"), rule: "R-J6-2")
      }
      return .float(value)
    }
    if let value = Int64(digits) { return .integer(ArchiveInteger(value)) }
    if let value = UInt64(digits) { return .integer(ArchiveInteger(magnitudeBits: value)) }
    throw FormatError(.jsonNumber, at: word.startIndex, "number", expected: .text("-2^63 to 2^64-1"))
  }

  /// Checks that a number is in range.
  static func checkRange(_ word: ArraySlice<UInt8>) throws(FormatError) {
    // Only a long number or one with an exponent can be out of range.
    if word.count > 18 || word.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { _ = try value(of: word) }
  }
}
