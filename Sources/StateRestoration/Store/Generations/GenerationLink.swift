/// One file with what has changed since the file before it: the archive of a generation, or its link before.
///
///     application.0000000042.rsta               saved as a whole
///     application.0000000042.link-0001.rsta     what has changed since
///     application.0000000042.link-0002.rsta     what has changed since then
///
/// The name leaves out the mark of the generation, so that marking stays one rename.
struct GenerationLink: Sendable, Hashable, Comparable {
  /// The archive.
  let archive: ArchiveName
  /// The number of the generation.
  let generation: UInt64
  /// The place among the links of the generation, from 1.
  let place: Int

  private static let prefix = "link-"

  init(_ archive: ArchiveName, _ generation: UInt64, _ place: Int) {
    self.archive = archive
    self.generation = generation
    self.place = place
  }

  /// The name of the file.
  var fileName: String {
    let digits = String(place)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let base = Generation(archive, generation).fileName.dropLast(".rsta".count)
    return "\(base).\(Self.prefix)\(padded).rsta"
  }

  /// Parses a file name; nil for a file that is not a link of the store.
  init?(fileName: String) {
    let parts = fileName.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count == 4, parts[2].hasPrefix(Self.prefix), let place = Int(parts[2].dropFirst(Self.prefix.count)), place > 0,
      let base = Generation(fileName: "\(parts[0]).\(parts[1]).rsta")
    else { return nil }
    self.init(base.archive, base.number, place)
    // One name for each link.
    guard self.fileName == fileName else { return nil }
  }

  static func < (left: GenerationLink, right: GenerationLink) -> Bool {
    (left.generation, left.place) < (right.generation, right.place)
  }
}
