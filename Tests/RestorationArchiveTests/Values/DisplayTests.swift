import RestorationArchive
import Testing

/// Two different texts never look alike when printed (Spec §11), because invisible characters are escaped.
@Suite struct DisplayTests {
  private static func escaped(_ text: String) -> String { ArchiveValue.string(text).displayText }

  @Test(
    "invisible characters are escaped",
    arguments: [
      "\u{AD}", "\u{34F}", "\u{115F}", "\u{17B4}", "\u{180B}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{2063}", "\u{206F}",
      "\u{3164}", "\u{FE00}", "\u{FE0E}", "\u{FE0F}", "\u{FEFF}", "\u{FFA0}", "\u{FFF9}", "\u{1D173}", "\u{E0001}", "\u{E0061}",
      "\u{E0100}",
    ])
  func escapesInvisible(_ scalar: Unicode.Scalar) {
    let code = String(scalar.value, radix: 16)
    #expect(Self.escaped("a\(scalar)b") == "\"a\\u{\(code)}b\"")
    #expect(Self.escaped("\(scalar)") == "\"\\u{\(code)}\"")
  }

  @Test(
    "invisible characters next to an emoji are escaped if they have no visible effect",
    arguments: [
      ("😀\u{FE0F}", "😀\\u{fe0f}"), ("😀\u{200D}", "😀\\u{200d}"), ("\u{200D}😀", "\\u{200d}😀"), ("a\u{200D}😀", "a\\u{200d}😀"),
      ("😀\u{200D}\u{200D}😀", "😀\\u{200d}\\u{200d}😀"), ("1\u{FE0F}", "1\\u{fe0f}"), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{fe0f}"),
      ("❤\u{FE0E}", "❤\\u{fe0e}"), ("🏴\u{E0067}\u{E007F}", "🏴\\u{e0067}\\u{e007f}"), ("1\u{200D}2", "1\\u{200d}2"),
    ])
  func escapesAroundEmoji(_ text: String, _ expected: String) {
    #expect(Self.escaped(text) == "\"\(expected)\"")
  }

  @Test(
    "emoji, letters of all scripts and combining marks are shown unchanged",
    arguments: [
      "plain", "é", "e\u{301}", "日本語", "العربية", "हिन्दी", "한글", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👁️‍🗨️", "❤️", "❤️‍🔥", "1️⃣", "#️⃣", "👍🏽", "🧑🏽‍🚀", "🇪🇺", "©️", "a\u{A0}b",
    ])
  func keepsVisible(_ text: String) {
    #expect(Self.escaped(text) == "\"\(text)\"")
  }

  @Test("keys and paths are escaped too (R-11-6)")
  func escapesKeysAndPaths() throws {
    let dictionary: ArchiveDictionary = ["na\u{200B}me": 1, "name": 2]
    #expect(dictionary.description.contains("na\\u{200b}me: ") && !dictionary.description.contains("\u{200B}"))
    let reader = try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("li\u{2060}st", state: ["x": 1])]).encoded())
    let coder = try reader.decoder(at: RestorationPath.application.appending("li\u{2060}st"))
    let error = #expect(throws: ArchiveError.self) { try coder.decode(String.self, forKey: "x\u{200B}") }
    #expect(error?.description.contains("path li\\u{2060}st") == true && error?.description.contains("key x\\u{200b}") == true)
  }
}
