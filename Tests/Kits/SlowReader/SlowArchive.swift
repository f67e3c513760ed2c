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
