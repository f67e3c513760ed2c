import FoundationValues
package import RestorationArchive

/// The archive of a generation with the links that lead to its last save.
///
/// Each link names the file that it follows by its digest: an earlier file of the generation. By their places the links
/// of the last save are known without reading the others (``GenerationFile/placeBefore``). If one of them is missing,
/// damaged, or follows another file, all are read, and the last save to which some lead is taken:
///
///     places       0   1   2   3   4   5   6
///     to save 6    0               4   5   6
///     4 damaged    0   1   2   3                 three saves are lost
package struct GenerationChain {
  /// The archive after the links that were applied.
  package let bytes: [UInt8]
  /// The place of the last link that was applied; 0 if none was.
  package let lastPlace: Int
  /// The digest of that link.
  let lastDigest: ContentDigest?
  /// The links that lead to the last save, with their places.
  package let way: [(place: Int, link: ArchiveLink)]
  /// The reason why the first link after it cannot be used; nil if it is the last one.
  package let fault: Fault?

  /// A reason why a link cannot be used.
  package enum Fault {
    /// The archive that the links follow cannot be used.
    case base(ArchiveError)
    /// The link cannot be read or applied.
    case link(ArchiveError)
    /// The link is missing.
    case missing
  }

  /// Applies links.
  ///
  /// - Parameters:
  ///   - base: The archive that the links follow; it is changed where it is, unless something else holds its bytes.
  ///   - links: The links, in order.
  ///   - read: Reads a link; called once for each at most.
  /// - Throws: What `read` throws.
  /// - Complexity: In proportion to the files that are read.
  package init<Failure: Error>(
    _ base: consuming [UInt8], _ links: [GenerationFile], read: (GenerationFile) throws(Failure) -> ArchiveLink
  ) throws(Failure) {
    var files: [Int: ArchiveLink] = [:]
    let start = ContentDigest(ofArchive: Data(base[..<min(base.count, FormatVersion.prefixByteCount)]))
    var places = try Self.wayByPlaces(from: start, links, &files, read)
    if places == nil {
      // Its prefix may be damaged, of which there is a spare copy.
      places = try Self.wayByDigests(from: (try? ArchiveReader(inspecting: copy base))?.contentDigest, links, &files, read)
    }
    way = (places ?? []).compactMap { place in files[place].map { (place, $0) } }
    let end = way.last?.place ?? 0
    let lost = links.first { $0.place > end }
    // The first link that is lost says why, unless it is missing.
    let fault = lost.flatMap { $0.place == end + 1 ? files[$0.place] : nil }
    let chain = ArchiveChain(base: base, checked: way.map(\.link) + [fault].compactMap { $0 })
    lastPlace = chain.appliedCount == 0 ? 0 : way[chain.appliedCount - 1].place
    lastDigest = files[lastPlace]?.digests?.own
    bytes = chain.bytes
    self.fault = chain.error.map { chain.isBaseAtFault ? .base($0) : .link($0) } ?? lost.map { _ in .missing }
  }

  /// Returns the places of the links that should lead to the last save; nil if they do not.
  private static func wayByPlaces<Failure: Error>(
    from start: ContentDigest?, _ links: [GenerationFile], _ files: inout [Int: ArchiveLink],
    _ read: (GenerationFile) throws(Failure) -> ArchiveLink
  ) throws(Failure) -> [Int]? {
    let byPlace = Dictionary(links.map { ($0.place, $0) }) { first, _ in first }
    var way: [Int] = []
    var (next, named) = (links.last?.place ?? 0, ContentDigest?.none)
    while next > 0 {
      guard let file = byPlace[next] else { return nil }
      let link = try read(file)
      files[next] = link
      guard let digests = link.digests, named == nil || named == digests.own else { return nil }
      way.append(next)
      (next, named) = (file.placeBefore, digests.before)
    }
    return named == start ? way.reversed() : nil
  }

  /// Returns the places of links that lead to the last save to which some do, after reading all.
  private static func wayByDigests<Failure: Error>(
    from start: ContentDigest?, _ links: [GenerationFile], _ files: inout [Int: ArchiveLink],
    _ read: (GenerationFile) throws(Failure) -> ArchiveLink
  ) throws(Failure) -> [Int] {
    var places: [ContentDigest: Int] = [:]
    var before: [Int: Int] = [:]
    if let start { places[start] = 0 }
    for file in links {
      if files[file.place] == nil { files[file.place] = try read(file) }
      guard let digests = files[file.place]?.digests, let place = places[digests.before] else { continue }
      before[file.place] = place
      places[digests.own] = file.place
    }
    let last = before.keys.max() ?? 0
    return sequence(first: last) { before[$0] }.prefix { $0 > 0 }.reversed()
  }
}
