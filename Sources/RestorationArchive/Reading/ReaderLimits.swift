import ArchiveFormat

/// What a reader may spend on one archive (Spec §10).
///
/// The format has limits of its own, which bound what opening an archive and looking into it can cost, in proportion to the file. These are
/// for whoever knows better: an app that saves a megabyte need not open a gigabyte. None can be set beyond that of the format. What exceeds
/// one is refused with the code `reader-limit`, or `value-budget` for the first, and is no fault of the file:
///
///     var limits = ReaderLimits.standard
///     limits.fileLength = 10_000_000
///     let archive = try ArchiveReader(contentsOfFile: path, limits: limits)
public struct ReaderLimits: Sendable, Equatable {
  /// How many values one call may turn into ``ArchiveValue`` or one Codable value: 16,777,216 if not set.
  ///
  /// One byte of the file can become 64 bytes of memory, so this is about 1 GiB at worst. Within a Codable value only what decodes itself
  /// counts; texts, numbers and the like do not.
  public var values: Int

  /// How many bytes the archive may have: 4,294,967,295 if not set, as in the format.
  public var fileLength: Int {
    didSet { fileLength = min(fileLength, Self.mostBytes) }
  }

  /// How many bytes the metadata may have: 16,777,216 if not set, as in the format.
  ///
  /// They are read whole when the archive is opened, and the header, types, origins and keys in them become values.
  public var metadataLength: Int {
    didSet { metadataLength = min(metadataLength, Self.mostMetadata) }
  }

  /// How many nodes there may be: 89,478,484 if not set, as many as fit into a file.
  ///
  /// Whoever makes an object for each node spends more than the file takes.
  public var nodes: Int {
    didSet { nodes = min(nodes, Self.mostNodes) }
  }

  /// How deep arrays and dictionaries may be nested: 128 if not set, as in the format.
  ///
  /// Reading them takes stack for each level; a thread with a small one may want fewer.
  public var nesting: Int {
    didSet { nesting = min(nesting, FormatLimits.nesting) }
  }

  private static let mostBytes = Int(clamping: FileLayout.longestFile)
  private static let mostMetadata = Int(FileLayout.longestMetadata)
  /// Record 0 is no node.
  private static let mostNodes = mostBytes / NodeRecord.byteCount - 1

  /// Makes limits; those that are not given are as the format has them.
  public init(values: Int = 1 << 24, fileLength: Int = .max, metadataLength: Int = .max, nodes: Int = .max, nesting: Int = .max) {
    self.values = values
    self.fileLength = min(fileLength, Self.mostBytes)
    self.metadataLength = min(metadataLength, Self.mostMetadata)
    self.nodes = min(nodes, Self.mostNodes)
    self.nesting = min(nesting, FormatLimits.nesting)
  }

  /// The limits that are used where none are given.
  public static let standard = ReaderLimits()

  /// Those that concern the archive as a whole.
  var opening: OpeningLimits {
    OpeningLimits(fileLength: fileLength, metadataLength: metadataLength, recordCount: nodes + 1)
  }
}
