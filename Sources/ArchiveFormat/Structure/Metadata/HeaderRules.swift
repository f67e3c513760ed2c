/// The rules of header entries that depend on their keys (Spec §3.3, §4.3.2), for writers.
package enum HeaderRules {
  /// Throws unless each key is allowed in a header and unique, and its value has the right type.
  ///
  /// - Parameters:
  ///   - entries: The entries, sorted by key.
  ///   - isStrict: Whether keys without a full stop must be registered, as in version 1.0.
  /// - Throws: `table-size`, `string-length`, `header-type`, `unknown-header-key`, `header-order`.
  package static func check(_ entries: [HeaderEntry], isStrict: Bool) throws(FormatError) {
    // Volatile keys do not count: they are all registered, and few.
    let count = entries.count { $0.registeredKey?.isVolatile != true }
    guard count <= FormatLimits.headerEntries else {
      throw FormatError(
        .tableSize, at: nil, "header entries", expected: .text("at most \(FormatLimits.headerEntries)"), found: .number(UInt64(count)),
        rule: "R-4.3-14")
    }
    for (index, entry) in entries.enumerated() {
      try check(entry, isStrict: isStrict)
      if index > 0, !entries[index - 1].key.precedesAsText(entry.key) {
        throw FormatError(.headerOrder, at: nil, "header key", expected: .text("each key once"))
      }
    }
  }

  private static func check(_ entry: HeaderEntry, isStrict: Bool) throws(FormatError) {
    let length = entry.key.utf8.count
    guard FormatLimits.headerKey.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "header key length", expected: .text("1 to \(FormatLimits.headerKey.upperBound) bytes"),
        found: .number(UInt64(length)))
    }
    if let registered = entry.registeredKey {
      guard registered.kind == entry.value.kind else {
        throw FormatError(
          .headerType, at: nil, "header value of \(registered.rawValue)", expected: .text(registered.kind.name),
          found: .text(entry.value.kind.name))
      }
    } else if isStrict, !entry.key.utf8.contains(UInt8(ascii: ".")) {
      throw FormatError(.unknownHeaderKey, at: nil, "header key", expected: .text("a registered key, or one with a full stop"))
    }
    if case .url("") = entry.value {
      throw FormatError(.stringLength, at: nil, "url length", expected: .text("at least one byte"), found: .number(0))
    }
  }
}

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
