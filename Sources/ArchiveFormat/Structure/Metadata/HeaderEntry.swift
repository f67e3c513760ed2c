/// A value that the header may contain: any scalar (rule R-3.3-2).
package enum HeaderScalar: Sendable {
  case bool(Bool)
  case integer(UInt64)
  /// A negative integer, stored as -1 minus its value.
  case negativeInteger(complement: UInt64)
  /// The bits of a float64.
  case float64(UInt64)
  case string(String)
  case data([UInt8])
  /// The bits of a float64 of seconds.
  case date(UInt64)
  /// The bytes as two little-endian integers.
  case uuid(UInt64, UInt64)
  case url(String)

  /// The kind of the value.
  package var kind: ValueKind {
    switch self {
    case .bool: .bool
    case .integer: .integer
    case .negativeInteger: .negativeInteger
    case .float64: .float64
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    }
  }

  /// Writes the value (Spec §6.1).
  package func write(to buffer: borrowing OutputBuffer) {
    switch self {
    case .bool(let value): buffer.write(.bool(value))
    case .integer(let value): buffer.write(.integer(value))
    case .negativeInteger(let complement): buffer.write(.negativeInteger(complement: complement))
    case .float64(let bits): buffer.write(.float64(bits: bits))
    case .string(let text): buffer.writeString(text)
    case .data(let bytes): buffer.writeData(bytes.span)
    case .date(let bits): buffer.write(.date(bits: bits))
    case .uuid(let first, let second): buffer.writeUUID(first, second)
    case .url(let text): buffer.writeURL(text)
    }
  }
}

/// A key of the header and its value (Spec §4.3.2).
package struct HeaderEntry: Sendable {
  /// The key.
  package var key: String
  /// The value.
  package var value: HeaderScalar

  /// Creates an entry.
  package init(key: String, value: HeaderScalar) {
    self.key = key
    self.value = value
  }

  /// The registered key, or nil if the key is not registered.
  package var registeredKey: RegisteredHeaderKey? { RegisteredHeaderKey(rawValue: key) }

  /// The digest that the value states, as that of ``RegisteredHeaderKey/baseContentDigest`` does; nil for any other value.
  var digest: UInt64? { if case .string(let text) = value { UInt64(digits: text) } else { nil } }
}

/// The rules of header entries that depend on their keys (Spec §3.3, §4.3.2), for writers.
package enum HeaderRules {
  /// Throws unless each key is allowed in a header and unique, and its value has the right type.
  ///
  /// - Parameters:
  ///   - entries: The entries, sorted by key.
  ///   - isStrict: Whether keys without a full stop must be registered, as in version 1.0.
  ///   - isLink: Whether the header is that of a link, which names the file before it.
  /// - Throws: `table-size`, `string-length`, `header-type`, `unknown-header-key`, `header-order`, `link-header`.
  package static func check(_ entries: [HeaderEntry], isStrict: Bool, isLink: Bool = false) throws(FormatError) {
    // Volatile keys are not counted: the registry has only a few.
    let count = entries.count { $0.registeredKey?.isVolatile != true }
    guard count <= FormatLimits.headerEntries else {
      throw FormatError(
        .tableSize, at: nil, "header entries", expected: "at most \(FormatLimits.headerEntries)", found: .number(count), rule: "R-4.3-14")
    }
    for (index, entry) in entries.enumerated() {
      try check(entry, isStrict: isStrict)
      if index > 0, !entries[index - 1].key.precedesAsText(entry.key) {
        throw FormatError(.headerOrder, at: nil, "header key", expected: "each key once")
      }
    }
    guard entries.contains(where: { $0.registeredKey == .baseContentDigest }) == isLink else { throw linkError(isLink: isLink, at: nil) }
  }

  /// Returns the error for a link that names no file, or an archive that is no link and names one (rule R-15.1-1).
  static func linkError(isLink: Bool, at offset: Int?) -> FormatError {
    FormatError(
      .linkHeader, at: offset, "header key baseContentDigest",
      expected: isLink ? "one, since this is a link" : "none, since this is no link")
  }

  /// Returns the error for a digest that is not sixteen digits (rule R-15.1-2).
  package static func digestError(at offset: Int?) -> FormatError {
    FormatError(.linkHeader, at: offset, "digest of the file before", expected: "16 hexadecimal digits in lower case", rule: "R-15.1-2")
  }

  private static func check(_ entry: HeaderEntry, isStrict: Bool) throws(FormatError) {
    try FormatError.checkLength(entry.key.utf8.count, FormatLimits.headerKey, "header key length")
    if let registered = entry.registeredKey {
      guard registered.kind == entry.value.kind else {
        throw FormatError(
          .headerType, at: nil, "header value of \(registered.rawValue)", expected: .text(registered.kind.name),
          found: .text(entry.value.kind.name))
      }
    } else if isStrict, !entry.key.utf8.contains(UInt8(ascii: ".")) {
      throw FormatError(.unknownHeaderKey, at: nil, "header key", expected: "a registered key, or one with a full stop")
    }
    if entry.registeredKey == .baseContentDigest, entry.digest == nil { throw digestError(at: nil) }
    if case .url("") = entry.value { throw .emptyURL() }
  }
}

/// The header keys of `Spec/registry.md`.
package enum RegisteredHeaderKey: String, Sendable, CaseIterable {
  case baseContentDigest, bundleIdentifier, bundleVersion, systemVersion, timestamp, userInterfaceIdiom, writer

  /// The type of the key's value.
  package var kind: ValueKind {
    self == .timestamp ? .date : .string
  }

  /// Whether the key describes the act of saving, so that the content digest excludes it (Spec §4.6).
  package var isVolatile: Bool {
    switch self {
    case .systemVersion, .timestamp, .writer: true
    case .baseContentDigest, .bundleIdentifier, .bundleVersion, .userInterfaceIdiom: false
    }
  }
}

extension UInt64 {
  /// Reads a digest of sixteen hexadecimal digits in lower case (rule R-15.1-2); nil for any other text.
  package init?(digits text: String) {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    guard text.utf8.count == 16, text.utf8.allSatisfy(isDigit) else { return nil }
    self.init(text, radix: 16)
  }
}
