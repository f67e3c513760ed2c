/// The first steps of salvage: what of a file that may be cut, grown or damaged anywhere can be believed (Spec §7.6).
///
/// Of the prefixes that are intact, each with its metadata and its checksum tree, the one that vouches for most of the file is used; two
/// are never mixed.
package final class SalvageOpening: Sendable {
  /// The file.
  package let bytes: [UInt8]
  /// The prefix that is used.
  package let prefix: ArchivePrefix
  /// Where everything lies, or lay before the file was cut.
  package let layout: FileLayout
  /// The metadata.
  package let metadata: ArchiveMetadata
  /// Why nothing of the volatile header is among the metadata; nil if it is.
  package let volatileHeaderError: FormatError?
  /// Which blocks cannot be believed; those beyond the end of the file among them.
  package let damage: BlockDamage
  /// What was passed over: copies that are damaged, another length than the file was written with.
  package let errors: [FormatError]
  /// How many bytes of the body can be believed.
  private let intactCount: Int

  /// Opens a file.
  ///
  /// - Throws: Why nothing in it can be believed.
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

  /// A prefix that is intact, and whether it is the copy at the front.
  private struct Candidate {
    let prefix: ArchivePrefix
    let isFirst: Bool
  }

  /// The copy at the front, and the last copy anywhere that says that the archive ends right behind it: there may be more behind, if
  /// something was appended.
  private static func findPrefixes(in bytes: [UInt8]) throws(FormatError) -> [Candidate] {
    var candidates: [Candidate] = []
    let span = bytes.span
    if bytes.count >= ArchivePrefix.byteCount, ArchivePrefix.isIntact(span.extracting(0..<ArchivePrefix.byteCount)) {
      let prefix = ArchivePrefix(reading: span)
      candidates.append(Candidate(prefix: prefix, isFirst: true))
      // The usual case: both say the same. Only a file that was overwritten by another one of the same length has two that differ.
      guard let second = prefixCopy(endingAt: bytes.count, in: span), second != prefix else { return candidates }
      candidates.append(Candidate(prefix: second, isFirst: false))
      return candidates
    }
    for end in stride(from: bytes.count, through: 2 * ArchivePrefix.byteCount, by: -1) {
      guard let prefix = prefixCopy(endingAt: end, in: span) else { continue }
      return [Candidate(prefix: prefix, isFirst: false)]
    }
    // Nothing to go by; reading says in what way.
    let (prefix, isSecond) = try ArchiveOpening.readPrefix(head: bytes, length: bytes.count, .memory(bytes))
    return [Candidate(prefix: prefix, isFirst: !isSecond)]
  }

  /// An intact copy of a prefix that ends at `end` and says that the archive does.
  private static func prefixCopy(endingAt end: Int, in span: Span<UInt8>) -> ArchivePrefix? {
    guard end >= 2 * ArchivePrefix.byteCount else { return nil }
    let copy = span.extracting((end - ArchivePrefix.byteCount)..<end)
    guard ArchivePrefix.hasMagic(copy), copy.uint64(at: ArchivePrefix.FieldOffset.fileLength) == UInt64(end), ArchivePrefix.isIntact(copy)
    else { return nil }
    return ArchivePrefix(reading: copy)
  }

  // MARK: What it vouches for

  private init(_ bytes: [UInt8], _ candidate: Candidate) throws(FormatError) {
    self.bytes = bytes
    prefix = candidate.prefix
    try ArchiveOpening.checkVersion(prefix)
    layout = try FileLayout(prefix)
    var errors: [FormatError] = []
    do throws(FormatError) {
      try ArchiveOpening.checkLength(prefix, actual: bytes.count)
    } catch {
      errors.append(error)
    }
    Self.notePrefixCopies(of: candidate, layout, bytes.span, &errors)
    let (metadataBytes, offset, volatileHeaderError) = try Self.intactMetadata(prefix, layout, bytes, &errors)
    self.volatileHeaderError = volatileHeaderError
    var reader = MetadataReader(
      count: metadataBytes.count, fileOffset: offset, bodyLength: layout.body.count, minorVersion: prefix.minorVersion)
    metadata = try reader.read(metadataBytes.span)
    (damage, intactCount) = Self.findDamage(
      BlockReader(source: .memory(bytes), layout: layout, root: prefix.treeRoot, splicesCopies: true), bytes.count)
    self.errors = errors
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

  /// The first copy of the metadata that is there and intact, or what both together give, and where it lies; if the volatile header is lost,
  /// an empty one stands in its place.
  private static func intactMetadata(
    _ prefix: ArchivePrefix, _ layout: FileLayout, _ bytes: [UInt8], _ errors: inout [FormatError]
  ) throws(FormatError) -> (bytes: [UInt8], offset: Int, volatileHeaderError: FormatError?) {
    let copies = layout.metadataCopies
    var intact: Range<Int>?
    for copy in copies where copy.upperBound <= bytes.count {
      if let damage = prefix.findDamage(inMetadata: bytes.span.extracting(copy), at: copy.lowerBound) {
        errors.append(damage)
      } else {
        intact = intact ?? copy
      }
    }
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

  /// A part of the metadata, from the first copy in which it is there and intact, or made of both.
  private static func intactPart(
    _ part: Range<Int>, of copies: CopyRanges, _ bytes: [UInt8], seed: UInt64, digest: UInt64
  ) -> [UInt8]? {
    let places = copies.map { ($0.lowerBound + part.lowerBound)..<($0.lowerBound + part.upperBound) }
    for place in places where place.upperBound <= bytes.count && XXH64.hash(bytes.span.extracting(place), seed: seed) == digest {
      return Array(bytes[place])
    }
    return CopySplicer.splice(bytes, places[0], places[1], seed: seed, digest: digest)
  }

  /// Verifies every block that is there.
  private static func findDamage(_ reader: BlockReader, _ count: Int) -> (BlockDamage, intactCount: Int) {
    let layout = reader.layout
    var damage = BlockDamage(layout: layout)
    var intactCount = 0
    for block in layout.blocks {
      let range = layout.bodyRange(ofBlock: block)
      guard range.upperBound <= count else {
        damage.insert(block..<layout.blocks.upperBound)
        break
      }
      let place = (range.lowerBound - layout.body.lowerBound)..<(range.upperBound - layout.body.lowerBound)
      if (try? reader.bytes(in: place)) == nil { damage.insert(block) } else { intactCount += range.count }
    }
    return (damage, intactCount)
  }
}
