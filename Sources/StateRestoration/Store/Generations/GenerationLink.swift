/// One file with what has changed since the file before it: the archive of a generation, or its link before.
///
///     application.0000000042.rsta               saved as a whole
///     application.0000000042.link-0001.rsta     what has changed since
///     application.0000000042.link-0002.rsta     what has changed since then
///
/// The name leaves out the mark of the generation, so that marking stays one rename.
package struct GenerationLink: Sendable, Hashable, Comparable {
  /// The archive.
  package let archive: ArchiveName
  /// The number of the generation.
  package let generation: UInt64
  /// The place among the links of the generation, from 1.
  package let place: Int

  private static let prefix = "link-"

  /// Creates a link.
  package init(_ archive: ArchiveName, _ generation: UInt64, _ place: Int) {
    self.archive = archive
    self.generation = generation
    self.place = place
  }

  /// The generation, without its mark.
  package var base: Generation { Generation(archive, generation) }

  /// The name of the file.
  package var fileName: String {
    let digits = String(place)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let base = Generation(archive, generation).fileName.dropLast(".rsta".count)
    return "\(base).\(Self.prefix)\(padded).rsta"
  }

  /// Parses a file name; nil for a file that is not a link of the store.
  package init?(fileName: String) {
    guard let name = GenerationFileName(fileName) else { return nil }
    self.init(name)
  }

  /// Creates a link from the parts of a file name; nil if that is the name of something else.
  init?(_ name: GenerationFileName) {
    guard let word = name.word, word.utf8.starts(with: Self.prefix.utf8),
      let number = GenerationFileName.number(word.dropFirst(Self.prefix.utf8.count), paddedTo: 4), let place = Int(exactly: number),
      place > 0
    else { return nil }
    self.init(name.archive, name.number, place)
  }

  /// Whether `left` was saved before `right`.
  package static func < (left: GenerationLink, right: GenerationLink) -> Bool {
    (left.generation, left.place) < (right.generation, right.place)
  }
}
