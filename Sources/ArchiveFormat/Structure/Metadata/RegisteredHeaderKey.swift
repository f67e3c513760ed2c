/// The header keys of `Spec/registry.md`.
package enum RegisteredHeaderKey: String, Sendable, CaseIterable {
  case bundleIdentifier, bundleVersion, systemVersion, timestamp, userInterfaceIdiom, writer

  /// The type of its value.
  package var kind: ValueKind {
    self == .timestamp ? .date : .string
  }

  /// Whether it says something about the act of saving, and so is left out of the content digest (Spec §4.6).
  package var isVolatile: Bool {
    switch self {
    case .systemVersion, .timestamp, .writer: true
    case .bundleIdentifier, .bundleVersion, .userInterfaceIdiom: false
    }
  }
}
