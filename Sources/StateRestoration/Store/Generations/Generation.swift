/// One saved file of an archive.
///
/// The number grows with every save of the store, whatever the clock says. The mark is part of the file's name, so that marking is one
/// rename and cannot be lost between two files:
///
///     application.0000000042.rsta            saved
///     application.0000000040.offered.rsta    kept until the user has answered
public struct Generation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Why a file is kept apart from the newest ones.
  public enum Mark: String, Sendable, CaseIterable {
    /// It is one of the newest, and nothing else.
    case none = ""
    /// The last one of the build before, kept until the build changes again.
    case frozen
    /// Something in it could not be restored; kept until a limit ends it, and then frozen if it is the last one of the build before.
    case pinned
    /// It was not restored, and is kept until the user has answered, or a limit ends it.
    case offered
    /// The app said never to restore it.
    case declined
    /// It is damaged.
    case damaged
  }

  /// The archive.
  public let archive: ArchiveName
  /// The number.
  public let number: UInt64
  /// Why it is kept.
  public let mark: Mark

  /// Makes one.
  init(_ archive: ArchiveName, _ number: UInt64, _ mark: Mark = .none) {
    self.archive = archive
    self.number = number
    self.mark = mark
  }

  /// The name of its file.
  public var fileName: String {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    return "\(archive.fileName).\(padded)\(mark == .none ? "" : ".\(mark.rawValue)").rsta"
  }

  /// The generation in a file; nil for a file that is not the store's.
  public init?(fileName: String) {
    let parts = fileName.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count == 3 || parts.count == 4, parts.last == "rsta", let archive = ArchiveName(fileName: String(parts[0])),
      let number = Self.number(parts[1]), let mark = parts.count == 3 ? Mark.none : Mark(rawValue: String(parts[2])),
      parts.count == 3 || mark != .none
    else { return nil }
    self.init(archive, number, mark)
  }

  /// The number that a file name has, with as many zeros in front as it takes for ten digits.
  private static func number(_ digits: Substring) -> UInt64? {
    let isPadded = digits.utf8.count > 10 ? digits.utf8.first != UInt8(ascii: "0") : digits.utf8.count == 10
    guard isPadded, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return UInt64(digits)
  }

  /// The same file with another mark.
  func marked(_ mark: Mark) -> Generation { Generation(archive, number, mark) }

  /// Whether the left one was saved earlier.
  public static func < (left: Generation, right: Generation) -> Bool {
    (left.number, left.mark.rawValue) < (right.number, right.mark.rawValue)
  }

  /// The number with its mark.
  public var description: String { mark == .none ? "\(number)" : "\(number) (\(mark.rawValue))" }
}
