/// A text stream that discards its text and records only the total length and the longest piece.
public struct TextPieces: TextOutputStream {
  /// The number of bytes written.
  public private(set) var byteCount = 0
  /// The length of the longest piece in bytes.
  public private(set) var longest = 0

  /// Creates an empty stream.
  public init() {}

  /// Counts a piece of text.
  public mutating func write(_ text: String) {
    byteCount += text.utf8.count
    longest = max(longest, text.utf8.count)
  }
}
