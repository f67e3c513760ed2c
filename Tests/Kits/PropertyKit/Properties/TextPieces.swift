/// Takes text and keeps nothing of it but how much it was, and how much of it came at once.
public struct TextPieces: TextOutputStream {
  /// How many bytes were written.
  public private(set) var byteCount = 0
  /// How many bytes were written at once, at most.
  public private(set) var longest = 0

  /// Nothing so far.
  public init() {}

  /// Takes text.
  public mutating func write(_ text: String) {
    byteCount += text.utf8.count
    longest = max(longest, text.utf8.count)
  }
}
