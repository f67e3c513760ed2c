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
    self.archive = archive
    self.number = number
    self.mark = mark
  }

  /// The name of the file.
  package var fileName: String {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    return "\(archive.fileName).\(padded)\(mark == .none ? "" : ".\(mark.rawValue)").rsta"
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

/// A file of a generation, without the mark: its archive, or a link with what has changed since the file before it.
///
///     application.0000000042.rsta               saved as a whole
///     application.0000000042.link-0001.rsta     what has changed since
///     application.0000000042.link-0002.rsta     what has changed since then
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
    self.archive = archive
    self.generation = generation
    self.place = place
  }

  /// Whether the file is a link.
  package var isLink: Bool { place > 0 }

  /// The generation, without its mark.
  package var base: Generation { Generation(archive, generation) }

  /// The name of the file.
  package var fileName: String {
    guard isLink else { return base.fileName }
    let digits = String(place)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return "\(base.fileName.dropLast(".rsta".count)).\(Self.linkPrefix)\(padded).rsta"
  }

  /// Parses a file name; nil for an archive with a mark, and for a file that is not the store's.
  package init?(fileName: String) {
    guard let name = GenerationFileName(fileName) else { return nil }
    self.init(name)
  }

  /// Creates a file from the parts of its name; nil if that is the name of something else.
  init?(_ name: GenerationFileName) {
    guard let word = name.word else {
      self.init(name.archive, name.number)
      return
    }
    guard word.utf8.starts(with: Self.linkPrefix.utf8),
      let number = GenerationFileName.number(word.dropFirst(Self.linkPrefix.utf8.count), paddedTo: 4), let place = Int(exactly: number),
      place > 0
    else { return nil }
    self.init(name.archive, name.number, place)
  }

  /// Whether `left` was saved before `right`, if both belong to one archive.
  package static func < (left: GenerationFile, right: GenerationFile) -> Bool {
    (left.generation, left.place) < (right.generation, right.place)
  }
}
