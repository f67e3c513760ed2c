extension RestorationPath {
  /// The path on one line for people, safe to print; only its end if the path is too long for a line.
  ///
  /// A path can take a quarter of a megabyte. The omitted part is shown as an ellipsis; JSON output has whole paths.
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

  /// The text form in pieces, so that it need not be in memory as a whole.
  package var pieces: some Sequence<String> {
    components.enumerated().lazy.map { $0 == 0 ? Self.escape($1) : "/" + Self.escape($1) }
  }
}
