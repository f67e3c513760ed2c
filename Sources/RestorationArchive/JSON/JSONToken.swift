/// A piece of JSON text that has been located and validated, but not yet turned into a value.
///
/// Tokens are in text order. A container's tokens follow the container, and its `next` points past them, so that a
/// value can be skipped without looking inside:
///
///     {"a": [1, 2]}      0 object next 6 | 1 string "a" next 2 | 2 array next 5 … | 3 number | 4 number
struct JSONToken {
  /// The kind of token.
  enum Kind: UInt8 {
    case null, `true`, `false`, number, string, escapedString, array, object
  }

  let kind: Kind
  /// The start of the token in the text.
  let start: Int
  /// The end of the token; for containers, after the closing bracket.
  var end: Int
  /// The index of the first token after this one and its contents.
  var next: Int
}
