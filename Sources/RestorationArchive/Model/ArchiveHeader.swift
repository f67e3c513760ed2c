package import ArchiveFormat
public import FoundationValues

/// The description of an archive as a whole: the app and build that saved it, the time, and the system (Spec §3.3).
///
/// All fields are optional. The fields outside the content digest have little space: ``systemVersion`` and ``writer``
/// may always take 147 bytes of UTF-8 together, and writing rejects values that do not fit. Other keys contain a full
/// stop; they are kept in ``additional`` and preserved when an archive is read and written.
public struct ArchiveHeader: Sendable {
  /// The bundle identifier of the app that saved.
  public var bundleIdentifier: String?
  /// The bundle version of the app that saved.
  public var bundleVersion: String?
  /// The operating system version.
  ///
  /// Excluded from the content digest. Truncate a string of unbounded length: the space is small and shared with
  /// ``writer``.
  public var systemVersion: String?
  /// The time of the save.
  ///
  /// Excluded from the content digest. The caller supplies the time; this package reads no clock.
  public var timestamp: Date?
  /// The user interface idiom.
  public var userInterfaceIdiom: UserInterfaceIdiom?
  /// The program that wrote the archive.
  ///
  /// Excluded from the content digest.
  public var writer: String?
  /// The content digest of the file before, if the archive is a link (Spec §15.1).
  public internal(set) var baseContentDigest: ContentDigest?
  /// The values under all other keys.
  ///
  /// Keys contain a full stop. Values must not be arrays, dictionaries, references or nulls.
  public var additional: ArchiveDictionary

  /// Creates a header.
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

  /// All entries, including registered ones, in ascending key order, as shown by tools and the JSON form.
  public var entries: ArchiveDictionary {
    var entries = additional
    // A registered key in `additional` stays unless a field replaces it, so that writing can reject it.
    for key in RegisteredHeaderKey.allCases {
      if let value = value(for: key) { entries[key.rawValue] = value }
    }
    return entries
  }

  private func value(for key: RegisteredHeaderKey) -> ArchiveValue? {
    switch key {
    case .baseContentDigest: baseContentDigest.map { .string($0.description) }
    case .bundleIdentifier: bundleIdentifier.map { .string($0) }
    case .bundleVersion: bundleVersion.map { .string($0) }
    case .systemVersion: systemVersion.map { .string($0) }
    case .timestamp: timestamp.map { .date($0) }
    case .userInterfaceIdiom: userInterfaceIdiom.map { .string($0.rawValue) }
    case .writer: writer.map { .string($0) }
    }
  }

  /// Sets the value of a registered key.
  ///
  /// - Returns: Whether the value has the right type.
  mutating func set(_ value: ArchiveValue, for key: RegisteredHeaderKey) -> Bool {
    switch (key, value) {
    case (.baseContentDigest, .string(let text)):
      guard let digest = UInt64(digits: text) else { return false }
      baseContentDigest = ContentDigest(rawValue: digest)
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

  /// Creates a header from all its entries.
  ///
  /// - Throws: `header-type` if the value of a registered key has the wrong type; `sensitive-misplaced` for an entry that is marked
  ///   as sensitive.
  public init(entries: ArchiveDictionary) throws(ArchiveError) {
    self.init()
    for entry in entries {
      try Self.checkMark(of: entry)
      if let key = RegisteredHeaderKey(rawValue: entry.key.asKnownName) {
        guard set(entry.value, for: key) else {
          throw ArchiveError(
            .headerType, "header value", expected: .text(key.kind.name), found: .text(entry.value.typeName), key: entry.key)
        }
      } else {
        additional[entry.key] = entry.value
      }
    }
  }

  /// Creates a header from decoded entries, whose types have been checked.
  init(_ header: [HeaderEntry]) {
    self.init()
    for entry in header {
      let value = ArchiveValue(entry.value)
      if let key = entry.registeredKey { _ = set(value, for: key) } else { additional[entry.key] = value }
    }
  }

  /// Throws if an entry is marked as sensitive: the format has no place for that, and tools would show the value.
  private static func checkMark(of entry: ArchiveDictionary.Entry) throws(ArchiveError) {
    guard entry.isSensitive else { return }
    throw ArchiveError(.sensitiveMisplaced, "header value", expected: "no sensitive mark", found: "one", key: entry.key)
  }

  /// Returns the entries in the form of the format layer.
  func headerEntries() throws(ArchiveError) -> [HeaderEntry] {
    var result: [HeaderEntry] = []
    for entry in entries {
      try Self.checkMark(of: entry)
      guard let scalar = HeaderScalar(entry.value) else {
        throw ArchiveError(.headerType, "header value", expected: "a scalar", found: .text(entry.value.typeName), key: entry.key)
      }
      result.append(HeaderEntry(key: entry.key, value: scalar))
    }
    return result
  }
}

extension ArchiveHeader: Equatable {
  /// Returns whether an archive stores both headers as the same bytes.
  public static func == (left: ArchiveHeader, right: ArchiveHeader) -> Bool {
    left.entries == right.entries
  }
}

extension ArchiveValue {
  /// Creates a value from a header scalar.
  package init(_ scalar: HeaderScalar) {
    switch scalar {
    case .bool(let value): self = .bool(value)
    case .integer(let bits): self = .integer(ArchiveInteger(magnitudeBits: bits))
    case .negativeInteger(let complement): self = .integer(ArchiveInteger(complement: complement))
    case .float64(let bits): self = .float(Double(bitPattern: bits))
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(Data(bytes))
    case .date(let bits): self = .date(Date(float64Bits: bits))
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
    case .date(let date): self = .date(date.float64Bits)
    case .uuid(let uuid): self = .uuid(uuid.words.0, uuid.words.1)
    case .url(let text): self = .url(text)
    case .null, .array, .dictionary, .reference: return nil
    }
  }
}

extension ArchiveHeader: CustomStringConvertible, CustomReflectable {
  /// The entries on one line, for logs and the debugger.
  ///
  /// Registered keys, which describe the archive, show their values. Other keys belong to the app and show only the
  /// kinds of their values.
  public var description: String {
    let texts = entries.map { entry in
      RegisteredHeaderKey(rawValue: entry.key.asKnownName) == nil
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
    return "\(version)\(time), carried for \(sessionsCarried) session\(sessionsCarried == 1 ? "" : "s")"
  }

  /// An empty mirror, so that the debugger never describes a date.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}

/// The kind of user interface that an archive was saved from (`Spec/registry.md`).
///
/// Unknown idioms are preserved.
public struct UserInterfaceIdiom: RawRepresentable, Sendable, Hashable {
  /// The name, as stored in archives.
  public let rawValue: String

  /// Creates an idiom from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A phone.
  public static let phone = Self(rawValue: "phone")
  /// A tablet.
  public static let pad = Self(rawValue: "pad")
  /// A television.
  public static let tv = Self(rawValue: "tv")
  /// A car display.
  public static let carPlay = Self(rawValue: "carPlay")
  /// A Mac.
  public static let mac = Self(rawValue: "mac")
  /// A headset.
  public static let vision = Self(rawValue: "vision")
  /// A watch.
  public static let watch = Self(rawValue: "watch")
  /// Any other desktop.
  public static let desktop = Self(rawValue: "desktop")
  /// A text terminal.
  public static let terminal = Self(rawValue: "terminal")
  /// An unspecified idiom.
  public static let unspecified = Self(rawValue: "unspecified")
}

/// The save that a carried-over node comes from: the node has been unclaimed since then (Spec §3.4).
public struct ArchiveOrigin: Sendable, Hashable {
  /// The bundle version of that save, if known.
  public var bundleVersion: String?
  /// The time of that save, if known.
  public var timestamp: Date?
  /// The number of sessions, launches of the app, whose saves have carried the node over since.
  public var sessionsCarried: UInt32

  /// Creates an origin.
  public init(bundleVersion: String? = nil, timestamp: Date? = nil, sessionsCarried: UInt32 = 0) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp
    self.sessionsCarried = sessionsCarried
  }

  /// Creates the origin of a record.
  package init(_ record: OriginRecord) {
    bundleVersion = record.bundleVersion
    timestamp = record.timestampBits.map { Date(float64Bits: $0) }
    sessionsCarried = record.sessionsCarried
  }

  var record: OriginRecord {
    OriginRecord(
      bundleVersion: bundleVersion, timestampBits: timestamp?.float64Bits,
      sessionsCarried: sessionsCarried)
  }

  /// Returns whether an archive stores both origins as the same bytes.
  public static func == (left: ArchiveOrigin, right: ArchiveOrigin) -> Bool {
    left.record == right.record
  }

  /// Hashes the stored form.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record)
  }
}
