extension RestorationPath {
  /// The path on a line for people: safe to print, and its end alone if it is longer than a line may be.
  ///
  /// A path can have a quarter of a megabyte. What is left out is shown as an ellipsis; in JSON paths are whole.
  package var displayText: String {
    if isEmpty { return "(application)" }
    var shown = components.count - 1
    var byteCount = components[shown].utf8.count
    while shown > 0, byteCount + components[shown - 1].utf8.count < 1024 {
      shown -= 1
      byteCount += components[shown].utf8.count + 1
    }
    let text = components[shown...].map(Self.escape).joined(separator: "/").escapedForDisplay
    return shown == 0 ? text : "…/\(text)"
  }

  /// Its text form in pieces, so that the whole need not be in memory.
  package var pieces: some Sequence<String> {
    components.enumerated().lazy.map { $0 == 0 ? Self.escape($1) : "/" + Self.escape($1) }
  }
}
