import ArchiveFormat
import KeyedArchive
package import RestorationArchive

/// An annotated dump of every byte of a file: offset, hex, meaning, with the structure shown by indentation.
///
/// The file is an archive, or anything that `ImportedArchive` reads.
///
///     00000000  89 52 53 54 0d 0a 1a 0a  magic
///     00000008  01 00                    majorVersion: 1
///
/// A run of identical lines is shortened to a `*`, as in other dumps; the last line of a piece is always shown.
///
/// The pieces are contiguous, whatever the file contains. Bytes that cannot be read or trusted form a piece that states
/// the reason. The bytes of sensitive values, and bytes that may contain such values, are masked unless `sensitive` is
/// `.reveal`. Any bytes not covered by a valid checksum may contain sensitive values, wherever they lie: in a file with
/// removed or inserted bytes, a node's state can lie in the place of any other structure.
package struct ArchiveDump {
  /// A run of bytes with one meaning, or an empty heading.
  package struct Piece: Sendable, Equatable {
    package let range: Range<Int>
    /// The number of enclosing structures.
    package let depth: Int
    /// The meaning of the bytes, without any masked value.
    package let meaning: String
    package let isMasked: Bool
  }

  let bytes: [UInt8]
  private let sensitive: SensitiveValues

  package init(_ bytes: [UInt8], sensitive: SensitiveValues = .redact) {
    self.bytes = bytes
    self.sensitive = sensitive
  }

  /// Calls `body` with each piece in file order.
  ///
  /// - Complexity: O(n log n) in the length of the file; uses twenty bytes of memory for each node.
  package func visitPieces(_ body: (Piece) -> Void) {
    withoutActuallyEscaping(body) { body in
      if ImportedArchive.isSource(bytes) { return ImportDump(bytes, sensitive, body: body).walk() }
      var walker = DumpWalker(bytes: bytes, sensitive: sensitive, body: body)
      walker.walk()
    }
  }

  // MARK: Text

  private static let bytesPerLine = 8

  package func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    visitPieces { piece in
      let indentation = String(repeating: "  ", count: piece.depth)
      if piece.range.isEmpty {
        output.write("\(String(repeating: " ", count: 36))\(indentation)\(style.bold(piece.meaning))\n")
      } else {
        writeLines(of: piece, indentation, style, to: &output)
      }
    }
  }

  private func writeLines(of piece: Piece, _ indentation: String, _ style: TextStyle, to output: inout some TextOutputStream) {
    // Masked bytes fit on one line.
    let end = piece.isMasked ? min(piece.range.upperBound, piece.range.lowerBound + Self.bytesPerLine) : piece.range.upperBound
    var previous: (hex: String, isRepeated: Bool) = ("", false)
    for start in stride(from: piece.range.lowerBound, to: end, by: Self.bytesPerLine) {
      let part = start..<min(start + Self.bytesPerLine, end)
      let isFirst = start == piece.range.lowerBound
      let hex = piece.isMasked ? Self.maskText(piece.range.count) : HexText.text(of: bytes[part])
      if hex == previous.hex, part.upperBound < end {
        if !previous.isRepeated { output.write("*\n") }
        previous.isRepeated = true
        continue
      }
      previous = (hex, false)
      let line = isFirst ? "\(Self.column(hex))\(indentation)\(piece.meaning)" : hex
      output.write("\(style.dim(HexText.offset(start)))  \(line)\n")
    }
  }

  /// Pads hex text to the column of the meanings.
  ///
  /// At least one space is added, since the length of masked bytes may have any number of digits.
  package static func column(_ hex: String) -> String { hex + String(repeating: " ", count: max(26 - hex.count, 1)) }

  /// Returns the placeholder for masked bytes.
  package static func maskText(_ count: Int) -> String {
    count <= bytesPerLine ? Array(repeating: "··", count: count).joined(separator: " ") : "·· ·· ·· … \(count) bytes"
  }

  // MARK: JSON

  /// Writes the dump as JSON: a list of pieces, with the bytes in hexadecimal unless they are masked.
  package func writeJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      writer.members(["byteCount": bytes.count])
      writer.elements(of: "pieces") { add in visitPieces { piece in add { element(piece, &$0) } } }
    }
  }

  private func element(_ piece: Piece, _ writer: inout JSONTextWriter) {
    writer.object([
      "bytes": piece.isMasked || piece.range.isEmpty ? nil : HexText.text(of: bytes[piece.range]), "depth": piece.depth,
      "length": piece.range.count, "meaning": piece.meaning, "offset": piece.range.lowerBound,
    ])
  }
}
