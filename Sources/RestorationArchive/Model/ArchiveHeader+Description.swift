import ArchiveFormat

extension ArchiveHeader: CustomStringConvertible, CustomReflectable {
  /// The entries on one line, for logs and the debugger.
  ///
  /// Registered keys, which describe the archive, show their values. Other keys belong to the app and show only the
  /// kinds of their values.
  public var description: String {
    let texts = entries.map { entry in
      RegisteredHeaderKey(rawValue: entry.key) == nil
        ? entry.description : "\(entry.key.escapedForDisplay): \(entry.value.displayText)"
    }
    return "[\(texts.isEmpty ? ":" : texts.joined(separator: ", "))]"
  }

  /// The entries for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: entries.map { (label: $0.key, value: $0.value) })
  }
}

extension ArchiveOrigin: CustomStringConvertible, CustomReflectable {
  /// The build, time and session count on one line, for logs and the debugger.
  public var description: String {
    let version = bundleVersion.map { "build \($0.escapedForDisplay)" } ?? "an unknown build"
    let time = timestamp.map { " at \(ArchiveValue.description(of: $0))" } ?? ""
    return "\(version)\(time), carried for \(sessionsCarried) sessions"
  }

  /// An empty mirror, so that the debugger never describes a date.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}
