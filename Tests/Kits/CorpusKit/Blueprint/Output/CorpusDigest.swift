/// The corpus digest, which tells copies of the corpus apart (Spec chapter 13).
public enum CorpusDigest {
  /// The path below `Corpus` of the file with the digest.
  public static let path = "digest.txt"

  /// Returns whether the digest covers a file.
  public static func covers(_ file: String) -> Bool {
    file != path && !file.hasPrefix("engine/") && !file.hasSuffix(".md")
  }

  /// Returns the line of a file: its XXH64 and its path, as `xxhsum -H64` prints them.
  public static func line(_ path: String, _ bytes: [UInt8]) -> String {
    digits(XXHash64.hash(bytes)) + "  \(path)\n"
  }

  /// Returns the content of the file with the digest, for the lines of all files in the order of their paths.
  public static func text(of lines: [String]) -> String {
    digits(XXHash64.hash(Array(lines.joined().utf8))) + "\n"
  }

  /// Returns the content of the file with the digest, for the files on disk.
  static func text(of folder: CorpusFolder) -> String {
    text(of: folder.paths().filter(covers).map { line($0, folder.read($0) ?? []) })
  }

  private static func digits(_ hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
