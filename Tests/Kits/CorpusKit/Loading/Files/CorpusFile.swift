/// An assembled archive of the corpus with its accompanying files.
///
/// Its description is its path, so that parameterized tests show the name of the file.
public struct CorpusFile: Sendable, CustomStringConvertible {
  /// The path below `Corpus`, such as `valid/vectors/empty-archive.hex`.
  public let path: String
  /// The bytes of the archive.
  public let bytes: [UInt8]
  /// The content of `NAME.expect`, if there is one.
  public let expectation: Expectation?
  /// The text of `NAME.json`, or of `NAME.rsta.json`, if there is one.
  public let json: String?

  /// The folder below `Corpus`, such as `valid/vectors`.
  public var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// The file name without `.hex` or `.rsta`.
  public var name: String {
    let last = path.split(separator: "/").last ?? ""
    // A name can contain a full stop, such as `float-0.1`.
    return String(last.dropLast(last.hasSuffix(".rsta") ? 5 : 4))
  }

  /// The path of the file that the `@base` directive names, relative to the folder; nil if there is none.
  public var base: String? {
    let lines = CorpusFolder.standard.text(path)?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("@base ") }.map { String($0.dropFirst("@base ".count)) }
  }

  /// The path below `Corpus`.
  public var description: String { path }
}
