import CorpusKit
import RestorationArchive
import RestorationInspection
import Testing

/// The dump explains every byte of every file, once.
@Suite struct DumpTests {
  @Test(arguments: try Corpus.files())
  func tilesTheFile(_ file: CorpusFile) {
    var position = 0
    ArchiveDump(file.bytes, sensitive: .reveal).visitPieces { piece in
      #expect(piece.range.lowerBound == position, "\(piece)")
      #expect(!piece.meaning.isEmpty)
      position = piece.range.upperBound
    }
    #expect(position == file.bytes.count)
  }

  @Test("in a valid file nothing is left unexplained", arguments: try Corpus.files(in: "valid"))
  func explainsValidFiles(_ file: CorpusFile) {
    ArchiveDump(file.bytes, sensitive: .reveal).visitPieces { piece in
      for word in ["not read", "damaged", "named by no"] { #expect(!piece.meaning.contains(word), "\(piece)") }
    }
  }

  @Test("every cut of a file is explained to its last byte")
  func tilesCutFiles() throws {
    let bytes = try Corpus.bytes(of: "valid/apps/kiosk.rsta")
    for length in 0...bytes.count where length % 7 == 0 || length < 200 {
      var position = 0
      ArchiveDump(Array(bytes.prefix(length))).visitPieces { piece in
        #expect(piece.range.lowerBound == position)
        position = piece.range.upperBound
      }
      #expect(position == length)
    }
  }
}
