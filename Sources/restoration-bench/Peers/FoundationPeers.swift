import Foundation

/// The coders that come with Foundation.
enum FoundationPeers {
  /// An encoder of binary property lists.
  static func propertyListEncoder() -> PropertyListEncoder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }
}
