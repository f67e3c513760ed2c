/// The header keys of `Spec/registry.md`.
package enum RegisteredHeaderKey: String, Sendable, CaseIterable {
  case bundleIdentifier, bundleVersion, systemVersion, timestamp, userInterfaceIdiom, writer

  /// The type of the key's value.
  package var kind: ValueKind {
    self == .timestamp ? .date : .string
  }

  /// Whether the key describes the act of saving, so that the content digest excludes it (Spec §4.6).
  package var isVolatile: Bool {
    switch self {
    case .systemVersion, .timestamp, .writer: true
    case .bundleIdentifier, .bundleVersion, .userInterfaceIdiom: false
    }
  }
}
