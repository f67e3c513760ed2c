import ArchiveFormat
import Testing

/// The facts about the private layout of `String` on which `StringWords` and `KeyCache` rely: if a toolchain
/// changes one of them, a test here fails.
@Suite struct StringWordsTests {
  /// Texts of all lengths around the longest one that is stored in the string itself, as copies with storage of their
  /// own.
  private static let texts: [String] = (1...40).flatMap { count in
    ["k", "é", "𝄞"].map { String(decoding: Array(String(repeating: $0, count: count).utf8), as: UTF8.self) }
  }

  #if _pointerBitWidth(_64)
    @Test("a string is two words on 64-bit systems")
    func areTwoWords() {
      #expect(StringWords.areKnown)
      #expect(MemoryLayout<String>.size == 16)
      #expect(MemoryLayout<String>.stride == 16)
      #expect(MemoryLayout<String>.alignment == MemoryLayout<UInt64>.alignment)
    }

    @Test("no string has the words of none")
    func areNeverEmpty() {
      for text in Self.texts + ["", "literal", "a literal that is too long for the words of a string"] {
        #expect(!(StringWords(text) == StringWords()))
        #expect(unsafe unsafeBitCast(text, to: (UInt64, UInt64).self).1 != 0, "the second word of \"\(text)\" is 0")
      }
    }

    @Test("strings with the same storage have the same words, different texts have different ones")
    func identifyTexts() {
      for (index, text) in Self.texts.enumerated() {
        let copy = text
        #expect(StringWords(copy) == StringWords(text))
        for other in Self.texts[..<index] { #expect(!(StringWords(other) == StringWords(text))) }
      }
    }

    @Test("a string that changes gets other words, and its copy keeps its own")
    func changeWithText() {
      for text in Self.texts {
        var changed = text
        let words = StringWords(text)
        changed.append("x")
        #expect(!(StringWords(changed) == words))
        #expect(StringWords(text) == words)
      }
    }

    @Test("only strings with memory of their own have the sign bit of the second word clear")
    func showMemory() {
      func hasMemory(_ text: String) -> Bool { unsafe Int64(bitPattern: unsafeBitCast(text, to: (UInt64, UInt64).self).1) >= 0 }
      for text in Self.texts { #expect(hasMemory(text) == (text.utf8.count > 15), "\(text.utf8.count) bytes") }
      #expect(!hasMemory(""))
      #expect(!hasMemory("a literal that is too long for the words of a string"))
    }
  #endif
}
