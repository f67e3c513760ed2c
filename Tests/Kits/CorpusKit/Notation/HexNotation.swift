/// The notation of the corpus's `.hex` files: bytes that a person can read, and review in a diff.
///
/// `Corpus/README.md` explains it in full. In short:
///
/// ```
/// 89 "RST" 0d 0a 1a 0a    # hex digit pairs and printable ASCII in quotes; the rest of the line is a comment
/// 00*12                   # the byte 00 twelve times
/// @base other.hex         # start from the bytes of another file
/// @at 0x40                # the following bytes overwrite from offset 64 on
/// @append                 # the following bytes are appended
/// @truncate 100           # truncate after the first 100 bytes
/// ```
public enum HexNotation {
  /// Returns the bytes that a source describes.
  ///
  /// - Parameters:
  ///   - source: The text of a `.hex` file.
  ///   - loadBase: Returns the bytes of the file named by `@base`, given the path as written there.
  /// - Returns: The assembled bytes.
  /// - Throws: ``HexNotationError``, or an error of `loadBase`.
  public static func assemble(_ source: String, loadBase: (String) throws -> [UInt8]) throws -> [UInt8] {
    var assembler = HexAssembler()
    let lines = source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      assembler.line = index + 1
      try assembler.take(Array(line), loadBase: loadBase)
    }
    return assembler.bytes
  }

  /// Returns the bytes that a source without `@base` describes.
  ///
  /// - Parameter source: The text of a `.hex` file, or a part of one.
  /// - Returns: The assembled bytes.
  /// - Throws: ``HexNotationError``, also if there is a `@base`.
  public static func assemble(_ source: String) throws -> [UInt8] {
    try assemble(source) { _ in throw HexNotationError(line: 1, problem: "@base cannot be used here") }
  }

  /// Returns a source for bytes, with 16 bytes per line; lines of one repeated byte are abbreviated.
  ///
  /// - Parameter bytes: The bytes to describe.
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
