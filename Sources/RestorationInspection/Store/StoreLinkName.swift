package import StateRestoration

/// The parts of the name of a link in the folder of a store, such as `application.0000000042.link-0001.rsta`.
package struct StoreLinkName: Sendable, Hashable {
  /// The archive.
  package let archive: ArchiveName
  /// The number of the generation that the link belongs to.
  package let generation: UInt64
  /// The place among the links of the generation, from 1.
  package let place: Int

  /// Parses a file name; nil if no store gives this name to a link.
  package init?(_ fileName: String) {
    let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[2].hasPrefix("link-"), let base = Generation(fileName: "\(parts[0]).\(parts[1]).\(parts[3])"),
      let place = Self.place(parts[2].dropFirst("link-".count))
    else { return nil }
    (archive, generation) = (base.archive, base.number)
    self.place = place
  }

  /// Parses the digits of a place, which are at least four.
  private static func place(_ digits: Substring) -> Int? {
    guard let place = Int(digits), place > 0, digits == String(repeating: "0", count: max(0, 4 - "\(place)".count)) + "\(place)"
    else { return nil }
    return place
  }

  /// The generation that links belong to.
  struct Owner: Hashable {
    let archive: ArchiveName
    let generation: UInt64
  }

  /// The generation that the link belongs to.
  var owner: Owner { Owner(archive: archive, generation: generation) }

  /// Whether the link belongs to a generation, whatever its mark is.
  package func belongs(to base: Generation) -> Bool { base.archive == archive && base.number == generation }

  /// Returns the links of a generation among the names of a folder, in order.
  package static func links(of base: Generation, among names: [String]) -> [(place: Int, name: String)] {
    names.compactMap { name in
      guard let link = StoreLinkName(name), link.belongs(to: base) else { return nil }
      return (link.place, name)
    }
    .sorted { $0.place < $1.place }
  }
}

/// The names of the archives that a store keeps for itself: its record of launches.
enum LedgerFileName: String {
  case current = "ledger.rsta"
  /// The last one that could not be read.
  case unreadable = "ledger.unreadable.rsta"
}
