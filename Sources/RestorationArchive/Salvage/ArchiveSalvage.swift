import ArchiveFormat
public import FoundationValues

/// The salvage of a damaged archive: a valid archive of all verifiable content, and a list of the losses (Spec §7.6).
///
///     let salvage = ArchiveSalvage(data)
///     if let archive = salvage.archive { try archive.write(to: output) }
///     for loss in salvage.losses { print(loss) }
///
/// The file may be truncated, have trailing bytes, and be damaged anywhere. A node whose name or parent is lost is
/// moved, with its descendants, under a separate node, `lost-and-found`. Values come only from bytes with a valid
/// checksum, and are never invented or altered: unrecoverable content is omitted and listed.
///
/// Time and memory are linear in the length of the file, apart from the memory of nodes and values as objects. Losses
/// are created on access.
public struct ArchiveSalvage: Sendable {
  /// The rescued content as a valid archive; nil if no content can be trusted, or none is left.
  public let archive: Data?
  /// The rescued content in memory.
  public let tree: ArchiveTree?
  /// The reason why there is no archive; nil if there is one.
  public let failure: ArchiveError?
  /// The content that could not be rescued or put back in its place, in file order; empty if nothing was lost.
  ///
  /// Each loss is created on access.
  public let losses: ComputedList<SalvageLoss>
  /// The faults of the file as a whole that caused no loss, such as damaged copies or a changed length.
  public let faults: [ArchiveError]
  /// The damaged and missing parts of the file, as offsets in the file.
  public let damagedRanges: [Range<Int>]
  /// The path of the node above all nodes that could not be put back; nil if there are none.
  public let lostAndFound: RestorationPath?
  /// The number of rescued nodes, including those below ``lostAndFound`` but not the placeholders for lost nodes, unless
  /// links were added.
  public let nodeCount: Int
  /// The length of the damaged file in bytes.
  public let byteCount: Int
  /// The number of links whose content was added.
  package let appliedLinkCount: Int

  /// Whether everything was rescued and put back in its place.
  public var isComplete: Bool { archive != nil && losses.isEmpty }

  /// Salvages an archive.
  ///
  /// Exceeding the value limit of `limits` is a loss with the code `value-budget`, and exceeding the nesting limit one
  /// with `reader-limit`. An archive that exceeds the other limits is not salvaged.
  public init(_ bytes: some Collection<UInt8>, limits: ReaderLimits = .standard) {
    self.init(bytes, limits: limits, followedBy: [])
  }

  /// Salvages an archive, and adds the content of the links that follow it (rule R-7.6-10).
  ///
  /// What was lost of the archive is listed as lost even if a link has newer state in its place.
  package init(_ bytes: some Collection<UInt8>, limits: ReaderLimits = .standard, followedBy links: [ArchiveLink]) {
    byteCount = bytes.count
    do throws(FormatError) {
      let opening = try SalvageOpening.open([UInt8](bytes))
      try limits.check(opening.layout)
      try limits.check(recordCount: opening.metadata.recordCount)
      let progress = WorkProgress.begin(2)
      defer { progress?.end() }
      var builder = SalvageBuilder(opening, limits: limits)
      builder.build()
      progress?.advance(to: 1)
      let digest = ContentDigest(rawValue: opening.prefix.contentDigest)
      appliedLinkCount = builder.add(links, after: digest)
      losses = builder.losses
      faults = opening.errors.map { ArchiveError($0) }
      damagedRanges = opening.damage.ranges
      let (archive, failure) = Self.encode(builder)
      self.archive = archive
      self.failure = failure
      tree = archive == nil ? nil : builder.tree
      lostAndFound = archive == nil ? nil : builder.lostAndFound
      nodeCount = archive == nil ? 0 : builder.nodeCount
    } catch {
      (archive, tree, lostAndFound, nodeCount, appliedLinkCount) = (nil, nil, nil, 0, 0)
      (losses, faults, damagedRanges) = (ComputedList([]), [], [])
      failure = ArchiveError(error)
    }
  }

  /// Encodes the archive, unless everything was lost: an empty archive means that an empty state was saved (rule
  /// R-7.6-6).
  private static func encode(_ builder: SalvageBuilder) -> (Data?, ArchiveError?) {
    let tree = builder.tree
    let isEmpty = tree.nodes.isEmpty && tree.applicationState.isEmpty && tree.sections.isEmpty
    if isEmpty, let cause = builder.firstCause { return (nil, cause) }
    do throws(ArchiveError) {
      return (try tree.encoded(), nil)
    } catch {
      return (nil, error)
    }
  }
}
