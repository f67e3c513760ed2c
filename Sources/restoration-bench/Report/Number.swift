import Foundation

/// Numbers as reports show them.
enum Number {
  /// Three or four significant digits.
  static func text(_ value: Double) -> String {
    let digits = value < 10 ? 2 : (value < 1000 ? 1 : 0)
    let text = String(format: "%.\(digits)f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  static func percent(_ part: Double) -> String {
    String(format: "%.0f %%", (part * 100).rounded(.up))
  }

  /// A time in the unit that suits it.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: String(format: "%.0f ns", nanoseconds)
    case ..<1e6: String(format: "%.1f us", nanoseconds / 1e3)
    case ..<1e9: String(format: "%.2f ms", nanoseconds / 1e6)
    default: String(format: "%.2f s", nanoseconds / 1e9)
    }
  }

  /// A number of bytes in the unit that suits it.
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(count) B"
    case ..<10_000_000: String(format: "%.1f KB", Double(count) / 1e3)
    default: String(format: "%.1f MB", Double(count) / 1e6)
    }
  }
}
