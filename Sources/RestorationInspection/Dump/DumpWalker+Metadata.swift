import ArchiveFormat
import RestorationArchive

extension DumpWalker {
  /// Explains a copy of the metadata at `position` (Spec §4.3).
  ///
  /// The metadata was read from an intact copy, so this copy can be trusted if it is intact too.
  mutating func walkMetadata(_ records: ArchiveRecords, in range: Range<Int>, _ copy: String) {
    guard range.lowerBound == position else { return }
    guard range.upperBound <= bytes.count,
      records.prefix.findDamage(inMetadata: bytes.span.extracting(range), at: range.lowerBound) == nil
    else {
      // Metadata is not sensitive, but if bytes were removed or inserted, other data lies in its place.
      explainRest(until: range.upperBound, "metadata, \(copy): damaged")
      return
    }
    let metadata = records.metadata
    structure("metadata, \(copy)", until: range.upperBound) { walker in
      let directory = range.lowerBound + ArchiveMetadata.volatileByteCount
      walker.walkHeader("volatile header", metadata.volatileHeader.map { ($0.key, ArchiveValue($0.value)) }, zerosUntil: directory)
      walker.walkDirectory(metadata.sections)
      walker.walkHeader("header", metadata.header.map { ($0.key, ArchiveValue($0.value)) })
      walker.walkOrigins(metadata.origins)
      walker.walkTypes(metadata.types)
      walker.structure("keys") { walker in
        walker.explainVarint("count")
        for (index, key) in metadata.keys.texts.enumerated() { walker.explainText("key \(index): \(key.escapedForDisplay)") }
      }
    }
  }

  private mutating func walkHeader(_ name: String, _ entries: [(key: String, value: ArchiveValue)], zerosUntil end: Int = 0) {
    structure(name) { walker in
      walker.explainVarint("count")
      for entry in entries {
        walker.explainText("key: \(entry.key.escapedForDisplay)")
        walker.explainValue(entry.value.displayText)
      }
      walker.explain(until: end, "zeros up to \(ArchiveMetadata.volatileByteCount) bytes")
    }
  }

  private mutating func walkDirectory(_ sections: [SectionEntry]) {
    structure("directory") { walker in
      walker.explainVarint("count")
      for section in sections {
        walker.explain(4, "code: \(section.code.text)")
        walker.explainVarint("length")
      }
    }
  }

  private mutating func walkOrigins(_ origins: MetadataTable<OriginRecord>) {
    structure("origins") { walker in
      walker.explainVarint("count")
      for (index, origin) in origins.enumerated() {
        walker.structure("origin \(index + 1)") { walker in
          walker.explain(1, "present")
          if let version = origin.bundleVersion { walker.explainText("bundleVersion: \(version.escapedForDisplay)") }
          if let bits = origin.timestampBits {
            walker.explain(8, "timestamp: \(ArchiveValue(HeaderScalar.date(bits)).displayText)")
          }
          walker.explainVarint("sessionsCarried")
        }
      }
    }
  }

  private mutating func walkTypes(_ types: MetadataTable<TypeRecord>) {
    structure("types") { walker in
      walker.explainVarint("count")
      for (index, type) in types.enumerated() {
        walker.explainText("type \(index + 1): \(type.tag.escapedForDisplay)")
        walker.explainVarint("schemaVersion")
      }
    }
  }

  // MARK: Primitives

  /// Explains the varint at `position`, if there is one.
  mutating func explainVarint(_ name: String) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard let value = try? cursor.readVarint(in: bytes.span, "number") else { return }
    explain(until: cursor.position, "\(name): \(value)")
  }

  /// Explains the string at `position` with its length, if there is one.
  mutating func explainText(_ meaning: String) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard let range = try? cursor.readString(in: bytes.span, bounds: 0...Int.max, "string") else { return }
    explain(until: range.lowerBound, "length: \(range.count)")
    explain(until: range.upperBound, meaning)
  }

  /// Explains the scalar value at `position`, if there is one.
  private mutating func explainValue(_ meaning: String) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard (try? cursor.readValue(in: bytes.span)) != nil else { return }
    explain(until: cursor.position, "value: \(meaning)")
  }
}
