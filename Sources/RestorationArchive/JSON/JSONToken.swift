/// A piece of JSON text, found and proven well-formed, but not turned into a value yet.
///
/// Tokens lie in an array in the order of the text. Those of a container follow it, and `next` leads past them, so that a value can be
/// passed over without looking inside:
///
///     {"a": [1, 2]}      0 object next 6 | 1 string "a" next 2 | 2 array next 5 … | 3 number | 4 number
struct JSONToken {
  /// What it is.
  enum Kind: UInt8 {
    case null, `true`, `false`, number, string, escapedString, array, object
  }

  let kind: Kind
  /// Where it begins in the text.
  let start: Int
  /// Where it ends; for containers, behind the closing bracket.
  var end: Int
  /// The place of the first token behind it and all in it.
  var next: Int
}
