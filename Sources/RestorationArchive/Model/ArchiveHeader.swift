#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import ArchiveFormat

/// What an archive says about itself as a whole: which build saved it, when, on what (Spec §3.3).
///
/// Everything is optional. What is no part of the content digest has little room: 147 bytes of UTF-8 always fit into ``systemVersion``
/// and ``writer`` together, and writing refuses what does not fit. The keys of others, which contain a full stop, are in ``additional`` and survive reading and writing.
public struct ArchiveHeader: Sendable {
  /// Which app saved.
  public var bundleIdentifier: String?
  /// Which build of it.
  public var bundleVersion: String?
  /// The version of the operating system.
  ///
  /// Not part of the content digest. Cut short what a system may make long: it has little room together with ``writer``.
  public var systemVersion: String?
  /// When the state was saved.
  ///
  /// Not part of the content digest. No clock is read: the caller says what time it is.
  public var timestamp: Date?
  /// The kind of interface.
  public var userInterfaceIdiom: UserInterfaceIdiom?
  /// The program that wrote the archive.
  ///
  /// Not part of the content digest.
  public var writer: String?
  /// The values under all other keys.
  ///
  /// Keys contain a full stop, values are no arrays, dictionaries, references or nulls.
  public var additional: ArchiveDictionary

  /// Makes a header.
  public init(
    bundleIdentifier: String? = nil, bundleVersion: String? = nil, systemVersion: String? = nil, timestamp: Date? = nil,
    userInterfaceIdiom: UserInterfaceIdiom? = nil, writer: String? = nil, additional: ArchiveDictionary = [:]
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.bundleVersion = bundleVersion
    self.systemVersion = systemVersion
    self.timestamp = timestamp
    self.userInterfaceIdiom = userInterfaceIdiom
    self.writer = writer
    self.additional = additional
  }

  /// All entries, registered ones included, in ascending order of their keys: as tools and the JSON form show them.
  public var entries: ArchiveDictionary {
    var entries = additional
    // One of these keys among the others stays there if nothing takes its place, so that writing can refuse it.
    for key in RegisteredHeaderKey.allCases {
      if let value = value(for: key) { entries[key.rawValue] = value }
    }
    return entries
  }

  private func value(for key: RegisteredHeaderKey) -> ArchiveValue? {
    switch key {
    case .bundleIdentifier: bundleIdentifier.map { .string($0) }
    case .bundleVersion: bundleVersion.map { .string($0) }
    case .systemVersion: systemVersion.map { .string($0) }
    case .timestamp: timestamp.map { .date($0) }
    case .userInterfaceIdiom: userInterfaceIdiom.map { .string($0.rawValue) }
    case .writer: writer.map { .string($0) }
    }
  }

  /// Puts a value in under a registered key.
  ///
  /// - Returns: Whether the value is of the right type.
  private mutating func set(_ value: ArchiveValue, for key: RegisteredHeaderKey) -> Bool {
    switch (key, value) {
    case (.bundleIdentifier, .string(let text)): bundleIdentifier = text
    case (.bundleVersion, .string(let text)): bundleVersion = text
    case (.systemVersion, .string(let text)): systemVersion = text
    case (.timestamp, .date(let date)): timestamp = date
    case (.userInterfaceIdiom, .string(let text)): userInterfaceIdiom = UserInterfaceIdiom(rawValue: text)
    case (.writer, .string(let text)): writer = text
    default: return false
    }
    return true
  }

  /// Puts a value in under a key that is registered.
  ///
  /// - Returns: Whether the key is registered and the value of the right type.
  mutating func set(_ value: ArchiveValue, for key: String) -> Bool {
    RegisteredHeaderKey(rawValue: key).map { set(value, for: $0) } ?? false
  }

  /// Makes a header of all its entries.
  ///
  /// - Throws: `header-type` for a registered key with a value of another type.
  public init(entries: ArchiveDictionary) throws(ArchiveError) {
    self.init()
    for entry in entries {
      if let key = RegisteredHeaderKey(rawValue: entry.key) {
        guard set(entry.value, for: key) else {
          throw ArchiveError(
            FormatError(
              .headerType, at: nil, "header value", expected: .text(key.kind.name), found: .text(entry.value.typeName)), key: entry.key)
        }
      } else {
        additional[entry.key] = entry.value
      }
    }
  }

  /// Takes over what was read, whose types have been checked.
  init(_ header: [HeaderEntry]) {
    self.init()
    for entry in header {
      let value = ArchiveValue(entry.value)
      if let key = entry.registeredKey { _ = set(value, for: key) } else { additional[entry.key] = value }
    }
  }

  /// The entries as the format layer takes them.
  func headerEntries() throws(ArchiveError) -> [HeaderEntry] {
    var result: [HeaderEntry] = []
    for entry in entries {
      guard let scalar = HeaderScalar(entry.value) else {
        throw ArchiveError(
          FormatError(.headerType, at: nil, "header value", expected: .text("a scalar"), found: .text(entry.value.typeName)),
          key: entry.key)
      }
      result.append(HeaderEntry(key: entry.key, value: scalar))
    }
    return result
  }
}

extension ArchiveHeader: Equatable {
  /// Whether an archive stores both as the same bytes.
  public static func == (left: ArchiveHeader, right: ArchiveHeader) -> Bool {
    left.entries == right.entries
  }
}

extension ArchiveValue {
  /// Takes over a value of the header.
  package init(_ scalar: HeaderScalar) {
    switch scalar {
    case .bool(let value): self = .bool(value)
    case .integer(let bits): self = .integer(ArchiveInteger(magnitudeBits: bits))
    case .negativeInteger(let complement): self = .integer(ArchiveInteger(complement: complement))
    case .float64(let bits): self = .float(Double(bitPattern: bits))
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(Data(bytes))
    case .date(let bits): self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    case .uuid(let first, let second): self = .uuid(UUID(first, second))
    case .url(let text): self = .url(text)
    }
  }
}

extension HeaderScalar {
  init?(_ value: ArchiveValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = value.isNegative ? .negativeInteger(complement: value.bits) : .integer(value.bits)
    case .float(let value): self = .float64(value.bitPattern)
    case .string(let text): self = .string(text)
    case .data(let data): self = .data([UInt8](data))
    case .date(let date): self = .date(date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let uuid):
      (self) = {
        let words = uuid.words; return .uuid(words.0, words.1)
      }()
    case .url(let text): self = .url(text)
    case .null, .array, .dictionary, .reference: return nil
    }
  }
}
