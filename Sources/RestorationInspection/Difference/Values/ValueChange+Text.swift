import FoundationValues
import RestorationArchive

extension ValueChange {
  /// Returns the change as lines for people: place and values on one line, or below the place what differs in them.
  public func lines(style: TextStyle = .plain) -> [String] {
    let mark = kind == .added ? style.added("+ ") : kind == .removed ? style.removed("- ") : style.changed("~ ")
    let label = "\(mark)\(style.bold(placeText))"
    switch kind {
    case .marked: return ["\(label): now marked as sensitive"]
    case .unmarked: return ["\(label): no longer marked as sensitive"]
    case .added, .removed:
      guard let value = new ?? old else { return ["\(label): \(style.dim("sensitive"))"] }
      return Self.lines(of: value, label, style)
    case .changed:
      guard let old, let new else { return ["\(label): \(style.dim("changed, sensitive"))"] }
      return Self.lines(from: old, to: new, label, style)
    }
  }

  /// The most lines that show an added or removed value.
  private static let lineLimit = 12

  private static func lines(of value: ArchiveValue, _ label: String, _ style: TextStyle) -> [String] {
    var lines: [String] = []
    var count = 0
    ValueText(style: style).visitLines(of: ["": value]) { line, _ in
      count += 1
      // The first line names the empty key.
      if count == 1 {
        lines.append(label + String(line.drop { $0 != ":" }))
      } else if count <= lineLimit {
        lines.append("  " + line)
      }
    }
    if count > lineLimit { lines.append("    " + style.dim("… \(ArchiveOverview.counted(count - lineLimit, "more line"))")) }
    return lines
  }

  private static func lines(from old: ArchiveValue, to new: ArchiveValue, _ label: String, _ style: TextStyle) -> [String] {
    switch (old, new) {
    case (.string(let old), .string(let new)) where !TextDifference.areShort(old, new):
      let sizes = "text, \(old.utf8.count) → \(ArchiveOverview.counted(new.utf8.count, "byte"))"
      return ["\(label): \(style.dim(sizes))"] + TextDifference(old, new).lines.map { "  " + styled($0, style) }
    case (.url(let old), .url(let new)) where !TextDifference.areShort(old, new):
      return ["\(label): \(style.dim("url"))"] + TextDifference(old, new).lines.map { "  " + styled($0, style) }
    case (.data(let old), .data(let new)): return dataLines(from: old, to: new, label, style)
    default:
      let isOtherType = old.typeName != new.typeName
      let (left, right) = (text(of: old, withType: isOtherType), text(of: new, withType: isOtherType))
      return ["\(label): \(style.removed(left)) → \(style.added(right))"]
    }
  }

  private static func styled(_ line: String, _ style: TextStyle) -> String {
    line.hasPrefix("- ") ? style.removed(line) : line.hasPrefix("+ ") ? style.added(line) : style.dim(line)
  }

  private static func text(of value: ArchiveValue, withType: Bool) -> String {
    switch value {
    case .array(let elements): return "array of \(elements.count)"
    case .dictionary(let entries): return "dictionary of \(entries.count)"
    case .data(let data): return "data of \(ArchiveOverview.counted(data.count, "byte"))"
    case .string(let text) where text.unicodeScalars.count > 80: return "\"\(String(text.prefix(77)).escapedForDisplay)…\""
    case .integer, .float:
      // 1 and 1.0 are different values.
      return withType ? "\(value.displayText) (\(value.typeName))" : value.displayText
    default: return value.displayText
    }
  }

  private static func dataLines(from old: Data, to new: Data, _ label: String, _ style: TextStyle) -> [String] {
    let (left, right) = ([UInt8](old), [UInt8](new))
    let splice = Splice(left, right, by: ==)
    let sizes = "data, \(left.count) → \(ArchiveOverview.counted(right.count, "byte")), differs from byte \(splice.start)"
    return [
      "\(label): \(style.dim(sizes))", "  " + style.removed("- \(text(of: left[splice.old]))"),
      "  " + style.added("+ \(text(of: right[splice.new]))"),
    ]
  }

  private static func text(of bytes: ArraySlice<UInt8>) -> String {
    bytes.isEmpty ? "(nothing)" : HexText.text(of: bytes.prefix(16)) + (bytes.count > 16 ? " … \(bytes.count) bytes" : "")
  }
}
