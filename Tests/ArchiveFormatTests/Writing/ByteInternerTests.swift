import ArchiveFormat
import Testing

/// Numbering byte strings.
@Suite struct ByteInternerTests {
  private static func number(of text: String, in interner: inout ByteInterner) -> Int {
    let bytes = Array(text.utf8)
    return interner.intern(bytes.span)
  }

  @Test("byte strings that share a prefix, a suffix or a length get different numbers; equal ones get the same")
  func numbersRuns() {
    var texts = ["", "\0", "\0\0"]
    for length in 1...40 {
      texts.append(String(repeating: "a", count: length))
      for place in 0..<length {
        let text = String(repeating: "a", count: length).enumerated().map { $0.offset == place ? "b" : $0.element }
        texts.append(String(text))
      }
    }
    var interner = ByteInterner()
    for (number, text) in texts.enumerated() { #expect(Self.number(of: text, in: &interner) == number) }
    for (number, text) in texts.enumerated() { #expect(Self.number(of: text, in: &interner) == number) }
    #expect(interner.count == texts.count)
  }
}
