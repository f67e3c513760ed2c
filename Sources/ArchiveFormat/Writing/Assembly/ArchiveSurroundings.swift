/// The parts of an archive other than nodes: the header, and ancillary sections.
///
/// A class, because it is passed along on a thread that the app waits for, and a copy would retain each of its tables.
package final class ArchiveSurroundings: Sendable {
  /// The metadata, with only the header set.
  let metadata: ArchiveMetadata
  let sections: [(code: SectionCode, bytes: [UInt8])]
  let minorVersion: UInt16

  /// Creates the surroundings from a header and sections.
  ///
  /// - Parameters:
  ///   - header: All header entries, in any order.
  ///   - sections: The ancillary sections, in any order.
  ///   - minorVersion: The minor version to write: 0, or the source archive's if unknown parts are preserved.
  ///   - isLink: Whether they are those of a link, whose header names the file before it.
  /// - Throws: `header-…`, `link-header`, `unknown-header-key`, `table-size` and `string-length` for a header that the format does not
  ///   allow; `section-order` and `table-size` for sections.
  package init(
    header: [HeaderEntry], sections: [(code: SectionCode, bytes: [UInt8])], minorVersion: UInt16 = ArchivePrefix.minorVersion,
    isLink: Bool = false
  ) throws(FormatError) {
    // Entries are split between the two headers (rules R-4.3-8, R-4.3-9).
    let sorted = header.sorted { $0.key.precedesAsText($1.key) }
    try HeaderRules.check(sorted, isStrict: minorVersion <= ArchivePrefix.minorVersion, isLink: isLink)
    var metadata = ArchiveMetadata()
    metadata.volatileHeader = sorted.filter { $0.registeredKey?.isVolatile == true }
    metadata.header = sorted.filter { $0.registeredKey?.isVolatile != true }
    // Validated here and not only on assembly, which may happen elsewhere.
    if !metadata.volatileHeader.isEmpty { try OutputBuffer().append(volatileHeader: metadata.volatileHeader) }
    if !sections.isEmpty {
      var trial = metadata
      try trial.setSections(SectionCode.required.map { ($0, 0) } + sections.map { ($0.code, $0.bytes.count) })
    }
    self.metadata = metadata
    self.sections = sections
    self.minorVersion = minorVersion
  }
}
