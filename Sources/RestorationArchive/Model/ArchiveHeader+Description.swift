import ArchiveFormat

extension ArchiveHeader: CustomStringConvertible, CustomReflectable {
  /// The entries on one line, for logs and the debugger: of registered keys, which say something about the archive, the values; of others,
  /// which are the app's, the kinds.
  public var description: String {
    let texts = entries.map { entry in
      RegisteredHeaderKey(rawValue: entry.key) == nil
        ? entry.description : "\(entry.key.escapedForDisplay): \(entry.value.displayText)"
    }
    return "[\(texts.isEmpty ? ":" : texts.joined(separator: ", "))]"
  }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: entries.map { (label: $0.key, value: $0.value) })
  }
}

extension ArchiveOrigin: CustomStringConvertible, CustomReflectable {
  /// Build, time and sessions on one line, for logs and the debugger.
  public var description: String {
    let version = bundleVersion.map { "build \($0.escapedForDisplay)" } ?? "an unknown build"
    let time = timestamp.map { " at \(ArchiveValue.description(of: $0))" } ?? ""
    return "\(version)\(time), carried for \(sessionsCarried) sessions"
  }

  /// The parts for the debugger, without dates.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}
