/// What a reader may spend on one archive, beyond the limits of the format (Spec §10).
///
/// Opening an archive and looking into it costs memory in proportion to what is looked at. Turning values into Swift values costs more
/// than they take in the file, up to 64 bytes for one byte; this limit bounds that.
public struct ReaderLimits: Sendable, Equatable {
  /// How many values one call may turn into ``ArchiveValue`` or one Codable value: 16,777,216 if not set, about 1 GiB of memory at worst.
  public var values: Int

  /// Makes limits.
  public init(values: Int = 1 << 24) {
    self.values = values
  }

  /// The limits that are used where none are given.
  public static let standard = ReaderLimits()
}
