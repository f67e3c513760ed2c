/// The content of an archive (Spec chapters 2 and 3).
public struct SlowArchive: Hashable, Sendable {
  /// The minor version of the file.
  public var minorVersion: UInt16
  /// The digest of the non-volatile content (Spec 4.6).
  public var contentDigest: UInt64
  /// The entries of the volatile header, in ascending order.
  public var volatileHeader: [SlowHeaderEntry]
  /// The other header entries, in ascending order.
  public var header: [SlowHeaderEntry]
  /// The table of origins; each node also has its own origin.
  public var origins: [SlowOrigin]
  /// The state of the empty path, in ascending order of keys.
  public var applicationState: [SlowEntry]
  /// The top-level nodes in their saved order.
  public var nodes: [SlowNode]
  /// The ancillary sections, in ascending order.
  public var sections: [SlowSection]
  /// What becomes of the application state, if the archive is a link (Spec 15.2).
  public var change: SlowChange?

  /// Creates an archive.
  public init(
    minorVersion: UInt16 = 0, contentDigest: UInt64, volatileHeader: [SlowHeaderEntry] = [], header: [SlowHeaderEntry] = [],
    origins: [SlowOrigin] = [], applicationState: [SlowEntry] = [], nodes: [SlowNode] = [], sections: [SlowSection] = []
  ) {
    self.minorVersion = minorVersion
    self.contentDigest = contentDigest
    self.volatileHeader = volatileHeader
    self.header = header
    self.origins = origins
    self.applicationState = applicationState
    self.nodes = nodes
    self.sections = sections
  }
}

/// A header key with its value (Spec 3.3).
public struct SlowHeaderEntry: Hashable, Sendable {
  /// The key as UTF-8.
  public var key: [UInt8]
  /// The value, which is not a container.
  public var value: SlowValue

  /// Creates an entry.
  public init(key: [UInt8], value: SlowValue) {
    self.key = key
    self.value = value
  }
}

/// An ancillary section (Spec 9.3).
public struct SlowSection: Hashable, Sendable {
  /// The four letters of the section code.
  public var code: [UInt8]
  /// The content.
  public var bytes: [UInt8]

  /// Creates a section.
  public init(code: [UInt8], bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }
}
