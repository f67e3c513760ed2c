/// The first stage of salvage: finds the intact parts of a file that may be truncated, extended or damaged anywhere
/// (Spec §7.6).
///
/// Each intact prefix is tried with its own metadata and checksum tree. The one that vouches for most of the file is
/// used; parts of two are never mixed.
package final class SalvageOpening: Sendable {
  /// The file.
  package let bytes: [UInt8]
  /// The prefix in use.
  package let prefix: ArchivePrefix
  /// The layout of the file, before any truncation.
  package let layout: FileLayout
  /// The metadata.
  package let metadata: ArchiveMetadata
  /// The reason why the metadata lacks the volatile header, or nil if it has one.
  package let volatileHeaderError: FormatError?
  /// The blocks that are damaged or cannot be verified, including those beyond the end of the file.
  package let damage: BlockDamage
  /// The errors that were tolerated: damaged copies, a file length other than the original one.
  package let errors: [FormatError]
  /// The number of intact bytes of the body.
  private let intactCount: Int

  /// Opens a file.
  ///
  /// - Throws: The first error, if no part of the file is intact.
  package static func open(_ bytes: [UInt8]) throws(FormatError) -> SalvageOpening {
    let candidates = try findPrefixes(in: bytes)
    var best: SalvageOpening?
    var firstError: FormatError?
    for candidate in candidates {
      do throws(FormatError) {
        let opening = try SalvageOpening(bytes, candidate)
        if opening.intactCount > best?.intactCount ?? -1 { best = opening }
      } catch {
        firstError = firstError ?? error
      }
    }
    guard let best else { throw firstError ?? FormatError(.prefixDamaged, at: 0) }
    return best
  }

  // MARK: Prefixes

  /// An intact prefix, and whether it is the copy at the front.
  private struct Candidate {
    let prefix: ArchivePrefix
    let isFirst: Bool
  }

  /// Returns the copy at the front, or else the last intact copy that states its own end as the end of the archive.
  ///
  /// Bytes may follow that copy if something was appended to the file. If both ends have intact copies that differ,
  /// returns both.
  private static func findPrefixes(in bytes: [UInt8]) throws(FormatError) -> [Candidate] {
    var candidates: [Candidate] = []
    let span = bytes.span
    if bytes.count >= ArchivePrefix.byteCount, ArchivePrefix.isIntact(span.extracting(0..<ArchivePrefix.byteCount)) {
      let prefix = ArchivePrefix(reading: span)
      candidates.append(Candidate(prefix: prefix, isFirst: true))
      // Usually both copies are equal. They differ only in a file that another one of the same length has partly
      // overwritten.
      guard let second = prefixCopy(endingAt: bytes.count, in: span), second != prefix else { return candidates }
      candidates.append(Candidate(prefix: second, isFirst: false))
      return candidates
    }
    for end in stride(from: bytes.count, through: 2 * ArchivePrefix.byteCount, by: -1) {
      guard let prefix = prefixCopy(endingAt: end, in: span) else { continue }
      return [Candidate(prefix: prefix, isFirst: false)]
    }
    // No intact prefix: the reader throws the exact error.
    let (prefix, isSecond) = try ArchiveOpening.readPrefix(head: bytes, length: bytes.count, .memory(bytes))
    return [Candidate(prefix: prefix, isFirst: !isSecond)]
  }

  /// Returns the intact prefix copy that ends at `end` and states that as the end of the archive, or nil.
  private static func prefixCopy(endingAt end: Int, in span: Span<UInt8>) -> ArchivePrefix? {
    guard end >= 2 * ArchivePrefix.byteCount else { return nil }
    return ArchivePrefix(copy: span.extracting((end - ArchivePrefix.byteCount)..<end), endingAt: end)
  }

  // MARK: Verified parts

  private init(_ bytes: [UInt8], _ candidate: Candidate) throws(FormatError) {
    self.bytes = bytes
    prefix = candidate.prefix
    let lengthError: FormatError?
    (layout, lengthError) = try ArchiveOpening.readLayout(prefix, length: bytes.count, toleratesLength: true)
    var errors = lengthError.map { [$0] } ?? []
    Self.notePrefixCopies(of: candidate, layout, bytes.span, &errors)
    let (metadataBytes, offset, volatileHeaderError) = try Self.intactMetadata(prefix, layout, bytes, &errors)
    self.volatileHeaderError = volatileHeaderError
    metadata = try MetadataReader.read(metadataBytes.span, at: offset, prefix, layout)
    guard metadata.link == nil else {
      throw FormatError(.unresolvedLink, at: nil, "file to be salvaged", expected: "an archive that is complete", found: "a link")
    }
    var blocks = BlockChecker(
      bytes: bytes, layout: layout, root: prefix.treeRoot, splicesCopies: true, damage: BlockDamage(layout: layout))
    blocks.check()
    damage = blocks.damage
    intactCount = damage.ranges.reduce(layout.body.count) { $0 - $1.count }
    self.errors = errors + blocks.findings.map(\.error).filter { $0.code == .treeDamaged }
  }

  private static func notePrefixCopies(
    of candidate: Candidate, _ layout: FileLayout, _ span: Span<UInt8>, _ errors: inout [FormatError]
  ) {
    if !candidate.isFirst { errors.append(FormatError(.prefixDamaged, at: 0, "first copy of the prefix")) }
    let second = layout.secondPrefix
    if candidate.isFirst, second.upperBound <= span.count, prefixCopy(endingAt: second.upperBound, in: span) != candidate.prefix {
      errors.append(FormatError(.prefixDamaged, at: second.lowerBound, "second copy of the prefix"))
    }
  }

  /// Returns an intact copy of the metadata and its offset: the first intact copy, or one assembled from both.
  ///
  /// If the volatile header is lost, an empty one takes its place.
  private static func intactMetadata(
    _ prefix: ArchivePrefix, _ layout: FileLayout, _ bytes: [UInt8], _ errors: inout [FormatError]
  ) throws(FormatError) -> (bytes: [UInt8], offset: Int, volatileHeaderError: FormatError?) {
    let copies = layout.metadataCopies
    let (intact, damage) = prefix.examineMetadata(copies, in: bytes.span)
    errors += damage
    if let intact { return (bytes.span.extracting(intact).makeArray(), intact.lowerBound, nil) }
    let error = errors.last { $0.code == .metadataDamaged } ?? FormatError(.metadataDamaged, at: ArchivePrefix.byteCount)
    let volatile = 0..<ArchiveMetadata.volatileByteCount
    let content = ArchiveMetadata.volatileByteCount..<layout.metadataLength
    guard let stable = intactPart(content, of: copies, bytes, seed: prefix.treeRoot, digest: prefix.contentDigest) else { throw error }
    guard let header = intactPart(volatile, of: copies, bytes, seed: 0, digest: prefix.volatileDigest) else {
      return ([UInt8](repeating: 0, count: volatile.count) + stable, copies[0].lowerBound, error)
    }
    return (header + stable, copies[0].lowerBound, nil)
  }

  /// Returns a part of the metadata, from the first copy in which it is present and intact, or spliced from both
  /// copies.
  private static func intactPart(
    _ part: Range<Int>, of copies: [Range<Int>], _ bytes: [UInt8], seed: UInt64, digest: UInt64
  ) -> [UInt8]? {
    let places = copies.map { ($0.lowerBound + part.lowerBound)..<($0.lowerBound + part.upperBound) }
    for place in places where place.upperBound <= bytes.count && XXH64.hash(bytes.span.extracting(place), seed: seed) == digest {
      return Array(bytes[place])
    }
    return CopySplicer.splice(bytes, places[0], places[1], seed: seed, digest: digest)
  }
}
