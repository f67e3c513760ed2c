#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Data {
  /// Copies the bytes.
  init(bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
  }
}
