import RestorationArchive

/// Placeholders for redacted values.
enum SensitiveText {
  /// Returns the placeholder for a value.
  ///
  /// Text, bytes and containers get a size class, which distinguishes a draft from an empty one.
  static func text(for value: ArchiveValue) -> String {
    switch value {
    case .string(let text): placeholder(text.utf8.count, "bytes of text")
    case .url(let text): placeholder(text.utf8.count, "bytes of url")
    case .data(let data): placeholder(data.count, "bytes")
    case .array(let elements): placeholder(elements.count, "elements")
    case .dictionary(let entries): placeholder(entries.count, "entries")
    default: "<sensitive>"
    }
  }

  private static func placeholder(_ length: Int, _ unit: String) -> String {
    let limits = [16, 256, 4096, 65_536]
    guard length > 0 else { return "<sensitive, empty>" }
    guard let limit = limits.first(where: { length <= $0 }) else { return "<sensitive, over 65536 \(unit)>" }
    return "<sensitive, up to \(limit) \(unit)>"
  }
}
