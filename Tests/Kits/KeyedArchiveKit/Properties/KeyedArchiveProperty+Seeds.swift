import KeyedArchive

extension KeyedArchiveProperty {
  /// An input to begin fuzzing with.
  public struct Seed: Sendable {
    /// The name, which can be that of a file.
    public let name: String
    /// The bytes.
    public let bytes: [UInt8]
  }

  /// The small fixtures that concern the property.
  ///
  /// A saved state of AppKit is in the form that ``stateImport`` encrypts: a mutation of ciphertext would be noise.
  public var seeds: [Seed] {
    AppleFixture.all.compactMap { fixture in
      guard fixture.bytes.count <= maximumSeedBytes else { return nil }
      let name = fixture.name.split(separator: "/").joined(separator: "-")
      switch self {
      case .propertyList:
        guard fixture.windows == nil, !fixture.name.hasPrefix("appkit/") else { return nil }
        return Seed(name: name, bytes: fixture.bytes)
      case .stateImport:
        let isState = fixture.windows != nil && !fixture.bytes.isEmpty
        return Seed(name: name, bytes: isState ? Self.plainRecords(of: fixture.bytes) : fixture.bytes)
      }
    }
  }

  /// The largest number of bytes of an input that is worth its time: short inputs are checked more often, and all parts
  /// of the formats fit.
  public var maximumSeedBytes: Int {
    switch self {
    case .propertyList: 1024
    case .stateImport: 6144
    }
  }

  /// Returns the records of a log in plaintext, as ``savedState(_:)`` reads them.
  private static func plainRecords(of log: [UInt8]) -> [UInt8] {
    var bytes = savedStateMark
    for record in SavedState.records(of: log).records {
      guard let content = SavedStateContent(record, of: log, key: RawSavedState.key(record.window)) else { continue }
      // The windows of the property are 1, 2 and the app.
      let window: UInt8 = record.window == .max ? 0xFF : record.window == 1 ? 1 : 2
      bytes += [window] + RawPropertyList.integer(UInt64(content.plaintext.count), 2) + content.plaintext
    }
    return bytes
  }
}
