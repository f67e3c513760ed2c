import ArchiveFormat
package import RestorationArchive

extension ArchiveLink {
  /// Returns the bytes of a link that names another file as the one before it (Spec §15.1).
  ///
  /// All digests have one length, so only the digits and their checksums change.
  ///
  /// - Throws: An error for a fault in the prefix or metadata, or for an archive that is no link.
  package static func rebased(_ bytes: [UInt8], after digest: ContentDigest) throws -> [UInt8] {
    let records = try ArchiveRecords(.memory(bytes))
    guard records.metadata.link != nil else { throw FormatError(.linkHeader, at: nil) }
    var prefix = records.prefix
    let copies = records.layout.metadataCopies
    let first = copies[0]
    guard prefix.findDamage(inMetadata: bytes.span.extracting(first), at: first.lowerBound) == nil else {
      throw FormatError(.metadataDamaged, at: first.lowerBound)
    }
    let place = try digits(in: bytes, at: first)
    var result = bytes
    for (index, digit) in digest.description.utf8.enumerated() {
      for copy in copies { result[copy.lowerBound + place + index] = digit }
    }
    prefix.contentDigest = ArchivePrefix.contentDigest(metadata: result.span.extracting(first), treeRoot: prefix.treeRoot)
    let encoded = prefix.encoded
    let last = result.count - ArchivePrefix.byteCount
    result.replaceSubrange(0..<ArchivePrefix.byteCount, with: encoded)
    result.replaceSubrange(last..<result.count, with: encoded)
    return result
  }

  /// Returns the offset of the digits in a copy of the metadata that a reader has accepted.
  private static func digits(in file: [UInt8], at copy: Range<Int>) throws -> Int {
    let bytes = file.span.extracting(copy)
    var cursor = ByteCursor(ArchiveMetadata.volatileByteCount..<bytes.count, fileOffset: copy.lowerBound)
    let sectionCount = Int(try cursor.readVarint(in: bytes, "number of sections"))
    for _ in 0..<sectionCount {
      _ = try cursor.readRange(of: 4, "section code")
      _ = try cursor.readVarint(in: bytes, "section length")
    }
    let key = Array(RegisteredHeaderKey.baseContentDigest.rawValue.utf8)
    let entryCount = Int(try cursor.readVarint(in: bytes, "number of header entries"))
    for _ in 0..<entryCount {
      let name = try cursor.readText(in: bytes, bounds: FormatLimits.headerKey, "header key")
      let isDigest = bytes.extracting(name).isEqual(to: key.span)
      let value = try cursor.readValue(in: bytes)
      if isDigest { return value.payload.lowerBound }
    }
    throw FormatError(.linkHeader, at: nil)
  }
}
