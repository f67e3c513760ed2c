import RestorationArchive

/// One saved archive, with the links that follow it.
///
/// The number increases with every archive that the store writes as a whole, independent of the clock. The mark is part
/// of the file name, so marking is one atomic rename:
///
///     application.0000000042.rsta            saved
///     application.0000000040.offered.rsta    kept until the user has answered
///     application.0000000042.link-0001.rsta  what has changed since
public struct Generation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The reason for keeping a file apart from the newest ones.
  public enum Mark: String, Sendable, CaseIterable {
    /// Not marked.
    case none = ""
    /// The last file of an earlier build; those of the two builds before the present one are kept.
    case frozen
    /// Not restored completely.
    ///
    /// It is kept until a limit removes it; the last file of the previous build is then frozen.
    case pinned
    /// Not restored; kept until the user answers or a limit removes it.
    case offered
    /// Permanently declined by the app.
    case declined
    /// Damaged.
    case damaged
    /// The last state of a scene that was closed recoverably.
    ///
    /// As long as it is kept, neither it nor an earlier file of the scene is restored by a launch. It goes with them.
    case closed
  }

  /// The archive.
  public let archive: ArchiveName
  /// The number, higher than that of each earlier generation of the archive.
  public let number: UInt64
  /// The reason for keeping the file.
  public let mark: Mark

  /// Creates a generation.
  init(_ archive: ArchiveName, _ number: UInt64, _ mark: Mark = .none) {
    (self.archive, self.number, self.mark) = (archive, number, mark)
  }

  /// The name of the file.
  package var fileName: String {
    "\(archive.fileName).\(number.text(width: 10))\(mark == .none ? "" : ".\(mark.rawValue)").rsta"
  }

  /// Parses a file name; nil for a file that is not an archive of the store.
  package init?(fileName: String) {
    guard let name = GenerationFileName(fileName) else { return nil }
    self.init(name)
  }

  /// Creates a generation from the parts of a file name; nil if that is the name of something else.
  init?(_ name: GenerationFileName) {
    guard let mark = name.word.map({ Mark(rawValue: String($0)) }) ?? Mark.none, (mark == .none) == (name.word == nil),
      // Only scenes are closed: a foreign file with such a name would hide the state of the app.
      mark != .closed || name.archive.scene != nil
    else { return nil }
    self.init(name.archive, name.number, mark)
  }

  /// The file of the archive.
  var file: GenerationFile { GenerationFile(archive, number) }

  /// Returns the same generation with another mark.
  func marked(_ mark: Mark) -> Generation { Generation(archive, number, mark) }

  /// Whether `left` comes before `right`: by number, so that of one archive the generation that was saved earlier comes first,
  /// then by mark and by archive.
  public static func < (left: Generation, right: Generation) -> Bool {
    if left.number != right.number { return left.number < right.number }
    // Names are made only for archives with generations of one number.
    return (left.mark.rawValue, left.archive.fileName) < (right.mark.rawValue, right.archive.fileName)
  }

  /// The number and the mark.
  public var description: String { mark == .none ? "\(number)" : "\(number) (\(mark.rawValue))" }
}

/// The parts of the name of a file in a store: `ARCHIVE.NUMBER.rsta` or `ARCHIVE.NUMBER.WORD.rsta`.
struct GenerationFileName {
  let archive: ArchiveName
  let number: UInt64
  /// A mark, or what says that the file is a link.
  let word: Substring?

  /// Parses a file name; nil if it is not of this form.
  init?(_ fileName: String) {
    let parts = fileName.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count == 3 || parts.count == 4, parts.last == "rsta", let archive = ArchiveName(fileName: String(parts[0])),
      let number = Self.number(parts[1], paddedTo: 10)
    else { return nil }
    self.archive = archive
    self.number = number
    word = parts.count == 4 ? parts[2] : nil
  }

  /// Parses a number that is padded with zeros to some digits, so that each number has one form.
  static func number(_ digits: Substring, paddedTo count: Int) -> UInt64? {
    let isPadded = digits.utf8.count > count ? digits.utf8.first != UInt8(ascii: "0") : digits.utf8.count == count
    guard isPadded, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return UInt64(digits)
  }
}

/// A file of a generation, without the mark: its archive, or a link with the changes since an earlier file.
///
///     application.0000000042.rsta               saved as a whole
///     application.0000000042.link-0001.rsta     what has changed since
///     application.0000000042.link-0002.rsta     what has changed since then
///     application.0000000042.link-0003.rsta     what has changed since then
///     application.0000000042.link-0004.rsta     what has changed since the file that was saved as a whole
///
/// The name of a link leaves out the mark of the generation, so that marking stays one rename.
package struct GenerationFile: Sendable, Hashable, Comparable {
  /// The archive.
  package let archive: ArchiveName
  /// The number of the generation.
  package let generation: UInt64
  /// The place among the links of the generation, from 1; 0 for the archive.
  package let place: Int

  private static let linkPrefix = "link-"

  /// Creates a file.
  package init(_ archive: ArchiveName, _ generation: UInt64, _ place: Int = 0) {
    (self.archive, self.generation, self.place) = (archive, generation, place)
  }

  /// Whether the file is a link.
  package var isLink: Bool { place > 0 }

  /// The place of the file that a link should follow: to base 4, the link's own place with its last digit other than 0 made
  /// smaller by 1.
  ///
  /// At most 10 links then lead to any of the first 128 saves. A link follows the last one if the writer has released the
  /// content of the other:
  ///
  ///     link      1   2   3   4   5   6   7   8  ...  16  17  ...  60  61  62  63
  ///     follows   0   1   2   0   4   5   6   4        0  16       56  60  61  62
  package var placeBefore: Int { place - 1 << (place.trailingZeroBitCount & ~1) }

  /// The generation, without its mark.
  package var base: Generation { Generation(archive, generation) }

  /// The name of the file.
  package var fileName: String {
    guard isLink else { return base.fileName }
    return "\(base.fileName.dropLast(".rsta".count)).\(Self.linkPrefix)\(place.text(width: 4)).rsta"
  }

  /// Parses a file name; nil for an archive with a mark, and for a file that is not the store's.
  package init?(fileName: String) {
    guard let name = GenerationFileName(fileName) else { return nil }
    self.init(name)
  }

  /// Creates a file from the parts of its name; nil for the name of something else, and for a link beyond the greatest place.
  init?(_ name: GenerationFileName) {
    guard let word = name.word else {
      self.init(name.archive, name.number)
      return
    }
    guard word.utf8.starts(with: Self.linkPrefix.utf8),
      let number = GenerationFileName.number(word.dropFirst(Self.linkPrefix.utf8.count), paddedTo: 4), number > 0,
      number <= ArchiveLink.maximumCount
    else { return nil }
    self.init(name.archive, name.number, Int(number))
  }

  /// Whether `left` was saved before `right`, if both belong to one archive.
  package static func < (left: GenerationFile, right: GenerationFile) -> Bool {
    (left.generation, left.place) < (right.generation, right.place)
  }
}

/// The archive files of a store, parsed from their names; foreign files are ignored.
package struct GenerationCatalog: Sendable {
  /// All generations, newest first.
  package internal(set) var generations: [Generation]
  /// The links of all generations, in order.
  package internal(set) var links: [GenerationFile]

  /// Parses the file names of a folder.
  package init(names: [String]) {
    let names = names.compactMap { GenerationFileName($0) }
    links = names.compactMap { GenerationFile($0) }.filter(\.isLink).sorted()
    generations = names.compactMap { Generation($0) }.sorted(by: >)
  }

  /// The files of each archive by itself.
  var byArchive: [ArchiveName: GenerationCatalog] {
    var parts: [ArchiveName: GenerationCatalog] = [:]
    for generation in generations { parts[generation.archive, default: GenerationCatalog(names: [])].generations.append(generation) }
    for link in links { parts[link.archive, default: GenerationCatalog(names: [])].links.append(link) }
    return parts
  }

  /// Returns the links of a generation, in order.
  package func links(of generation: Generation) -> [GenerationFile] {
    links.filter { $0.archive == generation.archive && $0.generation == generation.number }
  }

  /// The links without a generation: left behind by an interrupted removal or an interrupted folding.
  package var orphans: [GenerationFile] {
    let present = Set(generations.map { $0.marked(.none) })
    return links.filter { !present.contains($0.base) }
  }

  /// Whether an orphan may be the only copy of the last save: its archive has at most one newer generation.
  ///
  /// The orphans of an archive without generations are leftovers of an interrupted removal.
  package func isRecent(_ orphan: GenerationFile) -> Bool {
    let own = generations(of: orphan.archive)
    return !own.isEmpty && own.count { $0.number > orphan.generation } < 2
  }

  /// Returns the generations of one archive, newest first.
  package func generations(of archive: ArchiveName) -> [Generation] {
    generations.filter { $0.archive == archive }
  }

  /// Returns the newest unmarked file of an archive; nil for a closed scene.
  func current(of archive: ArchiveName) -> Generation? {
    generations(of: archive).first { $0.mark == .none || $0.mark == .closed }.flatMap { $0.mark == .none ? $0 : nil }
  }

  /// The archives without closed scenes, the most recently saved first.
  var archives: [ArchiveName] {
    var seen: Set<ArchiveName> = []
    let newest = generations.filter { $0.mark != .damaged && $0.mark != .declined && seen.insert($0.archive).inserted }
    return newest.filter { $0.mark != .closed }.map(\.archive)
  }

  /// The closed scenes, the last closed first.
  var closed: [Generation] { generations.filter { $0.mark == .closed } }

  /// Returns the files that a closed scene has left, from the oldest on, without the last one.
  func files(before closed: Generation) -> [Generation] {
    let own = generations(of: closed.archive).filter { $0.number < closed.number }
    return own.prefix { $0.mark != .closed }.reversed()
  }

  /// Out of range: at one save per nanosecond, a store would take 292 years to reach this number.
  static let firstAbsurdNumber: UInt64 = 1 << 63

  /// The first number that is given up: those after it are still in range when the next saves take them.
  private static let firstRenumbered: UInt64 = 1 << 62

  /// The files with out-of-range numbers, with their replacements.
  ///
  /// The new numbers are greater than all others and keep the order. The lowest comes first, so that no rename hits an
  /// existing name.
  var renumberings: [(old: Generation, new: Generation)] {
    var last = generations.lazy.map(\.number).filter { $0 < Self.firstRenumbered }.max() ?? 0
    var previous: UInt64?
    var renumberings: [(old: Generation, new: Generation)] = []
    for generation in generations.reversed() where generation.number >= Self.firstRenumbered {
      if generation.number != previous { last += 1 }
      previous = generation.number
      if generation.number != last { renumberings.append((generation, Generation(generation.archive, last, generation.mark))) }
    }
    return renumberings
  }

  /// The greatest number of the files of an archive that a store gives; nil without files.
  func lastNumber(of archive: ArchiveName) -> UInt64? {
    let links = links.lazy.filter { $0.archive == archive }.map(\.generation)
    return (generations(of: archive).map(\.number) + links).filter { $0 < Self.firstAbsurdNumber }.max()
  }

  /// The next number, greater than every number in use: unlike a clock, it never goes backward.
  ///
  /// Nil after the greatest possible number, which takes 2^64 saves; ``renumberings`` prevent that.
  var nextNumber: UInt64? {
    // A link whose generation is gone must not be taken for one of a new generation.
    let linked = links.lazy.map(\.generation).filter { $0 < Self.firstAbsurdNumber }.max() ?? 0
    let last = max(generations.map(\.number).max() ?? 0, linked)
    return last == .max ? nil : last + 1
  }
}

/// The generations that need not be kept.
extension GenerationCatalog {
  /// Returns the generations of an archive that need not be kept.
  func expendable(of archive: ArchiveName, limits: StoreLimits) -> [Generation] {
    let own = generations(of: archive)
    func marked(_ mark: Generation.Mark) -> [Generation] { own.filter { $0.mark == mark } }
    return [
      marked(.none).dropFirst(2), marked(.frozen).dropFirst(2), marked(.damaged).dropFirst(limits.damagedFiles),
      marked(.declined).dropFirst(limits.declinedFiles),
    ].flatMap { $0 }
  }

  /// Returns the pinned and offered generations beyond the limits, except the protected ones.
  func surplus(of archive: ArchiveName, limits: StoreLimits, without protected: Set<UInt64>) -> [Generation] {
    let own = generations(of: archive).filter { !protected.contains($0.number) }
    // The oldest is kept, because it may contain state that all later ones lack.
    func surplus(_ mark: Generation.Mark, _ limit: Int) -> ArraySlice<Generation> {
      let marked = own.filter { $0.mark == mark }
      return marked.count > limit ? marked.dropFirst(limit - 1).dropLast() : []
    }
    return Array(surplus(.pinned, limits.pinnedFiles) + surplus(.offered, limits.offers))
  }
}
