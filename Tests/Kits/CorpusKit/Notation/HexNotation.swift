/// The notation of the `.hex` files of the corpus: bytes that a person can read, and review in a diff.
///
/// `Corpus/README.md` explains it in full. In short:
///
/// ```
/// 89 "RST" 0d 0a 1a 0a    # hex digit pairs and printable ASCII in quotes; the rest of the line is a comment
/// 00*12                   # the byte 00 twelve times
/// @base other.hex         # start from the bytes of another file
/// @at 0x40                # what follows overwrites from offset 64 on
/// @append                 # what follows is put behind the last byte
/// @truncate 100           # cut behind the first 100 bytes
/// ```
public enum HexNotation {
  /// The bytes that a source stands for.
  ///
  /// - Parameters:
  ///   - source: The text of a `.hex` file.
  ///   - loadBase: Gives the bytes of the file that `@base` names, by the path as it stands there.
  /// - Returns: The assembled bytes.
  /// - Throws: ``HexNotationError``, or what `loadBase` throws.
  public static func assemble(_ source: String, loadBase: (String) throws -> [UInt8]) throws -> [UInt8] {
    var assembler = HexAssembler()
    let lines = source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      assembler.line = index + 1
      try assembler.take(Array(line), loadBase: loadBase)
    }
    return assembler.bytes
  }

  /// The bytes that a source without `@base` stands for.
  ///
  /// - Parameter source: The text of a `.hex` file, or a part of one.
  /// - Returns: The assembled bytes.
  /// - Throws: ``HexNotationError``, also if there is a `@base`.
  public static func assemble(_ source: String) throws -> [UInt8] {
    try assemble(source) { _ in throw HexNotationError(line: 1, problem: "@base cannot be used here") }
  }

  /// A source for bytes: lines of 16, a run of lines with one and the same byte in short.
  ///
  /// - Parameter bytes: What the source stands for.
  /// - Returns: The text of a `.hex` file.
  public static func text(of bytes: [UInt8]) -> String {
    var text = ""
    var start = 0
    while start < bytes.count {
      let run = bytes[start...].prefix { $0 == bytes[start] }.count
      let count = run >= 16 ? run : min(16, bytes.count - start)
      let digits = bytes[start..<(start + (run >= 16 ? 1 : count))].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      text += digits.joined(separator: " ") + (run >= 16 ? "*\(run)" : "") + "  # 0x\(String(start, radix: 16))\n"
      start += count
    }
    return text
  }
}
