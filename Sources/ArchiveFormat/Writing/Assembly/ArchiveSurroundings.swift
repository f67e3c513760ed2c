/// What an archive has besides nodes: the header, and ancillary sections.
///
/// It is handed from one to the other on the thread that an app waits for, so it is an object: a copy would count a reference for each of its
/// tables.
package final class ArchiveSurroundings: Sendable {
  /// With the header alone.
  let metadata: ArchiveMetadata
  let sections: [(code: SectionCode, bytes: [UInt8])]
  let minorVersion: UInt16

  /// Takes the header and the sections of an archive.
  ///
  /// - Parameters:
  ///   - header: All header entries, in any order.
  ///   - sections: The ancillary sections, in any order.
  ///   - minorVersion: The minor version to write: 0, or that of an archive whose unknown parts are kept.
  /// - Throws: `header-…`, `unknown-header-key`, `table-size` and `string-length` for a header that the format does not allow; `section-order`
  ///   and `table-size` for sections.
  package init(
    header: [HeaderEntry], sections: [(code: SectionCode, bytes: [UInt8])], minorVersion: UInt16 = ArchivePrefix.minorVersion
  ) throws(FormatError) {
    // Distributed over the two parts of the metadata (rules R-4.3-8, R-4.3-9).
    let sorted = header.sorted { $0.key.precedesAsText($1.key) }
    try HeaderRules.check(sorted, isStrict: minorVersion <= ArchivePrefix.minorVersion)
    var metadata = ArchiveMetadata()
    metadata.volatileHeader = sorted.filter { $0.registeredKey?.isVolatile == true }
    metadata.header = sorted.filter { $0.registeredKey?.isVolatile != true }
    // What is wrong is said here and not when everything is put together, which may be elsewhere.
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
