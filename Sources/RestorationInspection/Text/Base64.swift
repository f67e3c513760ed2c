#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 as RFC 4648 defines it, with padding and without line breaks.
enum Base64 {
  /// Returns the Base64 text of bytes.
  static func text(of bytes: ArraySlice<UInt8>) -> String {
    Data(bytes).base64EncodedString()
  }
}
