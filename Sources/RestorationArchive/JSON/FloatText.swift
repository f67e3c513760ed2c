/// The text of finite floating-point numbers in the JSON form (rule R-J7-2).
package enum FloatText {
  /// Returns the text of a finite number: the shortest digits that read back as the same bits, in the layout of the
  /// rule.
  ///
  /// Swift's description has the same digits, but its switch to exponents depends on the precision of the type.
  package static func text(of value: Double) -> String {
    let (digits, exponent) = decompose(value.magnitude.description)
    let sign = value.sign == .minus ? "-" : ""
    guard (-4..<16).contains(exponent) else {
      let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
      let places = String(exponent.magnitude)
      return "\(sign)\(digits.prefix(1))\(fraction)e\(exponent < 0 ? "-" : "+")\(places.count < 2 ? "0" : "")\(places)"
    }
    if exponent < 0 { return "\(sign)0.\(String(repeating: "0", count: -exponent - 1))\(digits)" }
    let whole = digits.prefix(exponent + 1)
    let zeros = String(repeating: "0", count: exponent + 1 - whole.count)
    let fraction = digits.dropFirst(exponent + 1)
    return "\(sign)\(whole)\(zeros).\(fraction.isEmpty ? "0" : fraction)"
  }

  /// Returns the significant digits of a description such as `0.00125` or `1.25e-7`, and the decimal exponent of the
  /// first digit.
  private static func decompose(_ description: String) -> (digits: String, exponent: Int) {
    let parts = description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + mantissa[0].count - 1
    let all = mantissa.joined()
    let leadingZeros = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leadingZeros))
    while digits.hasSuffix("0") { digits.removeLast() }
    if digits.isEmpty { return ("0", 0) }
    exponent -= leadingZeros
    return (digits, exponent)
  }
}
