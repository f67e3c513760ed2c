#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 as section 6.2 of `Spec/json.md` wants it: padded, without white space, unused bits zero.
enum Base64 {
  /// The bytes that a text stands for, or nil if it is not the one text for them.
  ///
  /// Foundation's decoder is more forgiving.
  static func data(of text: String) -> Data? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    return data
  }
}
