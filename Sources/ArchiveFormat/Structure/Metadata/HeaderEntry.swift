/// A value of the header as it is stored: any scalar (rule R-3.3-2).
package struct HeaderScalar: Sendable {
  /// The tag, and the bytes after it.
  package let bytes: [UInt8]

  /// Takes the bytes of a value that has been read.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Encodes the value that `write` writes.
  package init(_ write: (borrowing OutputBuffer) -> Void) {
    let buffer = OutputBuffer(capacity: 64)
    write(buffer)
    bytes = buffer.makeArray()
  }

  /// Encodes a string.
  package static func string(_ text: String) -> HeaderScalar { HeaderScalar { $0.writeString(text) } }

  /// Encodes a date, given the bits of its float64.
  package static func date(_ bits: UInt64) -> HeaderScalar { HeaderScalar { $0.write(.date(bits: bits)) } }

  /// The kind of the value.
  package var kind: ValueKind { ValueKind(tag: bytes[0]) ?? .unknown }

  /// The value, whose payload is a range of ``bytes``; null for a url without text.
  package var raw: RawValue {
    var cursor = ByteCursor(0..<bytes.count, fileOffset: 0)
    return (try? cursor.readValue(in: bytes.span)) ?? .null
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
  var digest: UInt64? {
    let raw = value.raw
    return raw.kind == .string ? value.bytes.span.extracting(raw.payload).makeString().flatMap { UInt64(digits: $0) } : nil
  }
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
    if entry.value.raw.kind == .null { throw .emptyURL() }
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
