#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 as defined in section 6.2 of `Spec/json.md`: padded, without white space, unused bits zero.
enum Base64 {
  /// Returns the bytes of a text, or nil if the text is not their canonical encoding.
  ///
  /// Foundation's decoder is more lenient.
  static func data(of text: String) -> Data? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    return data
  }
}
