import RestorationInspection
import Testing

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("tre", "tree"), ("chekc", "check"), ("inof", "info"), ("covnert", "convert"), ("dmup", "dump"), ("--dpth", "--depth"),
  ])
  func findsWhatWasMeant(_ word: String, _ meant: String) {
    #expect(Suggestion.nearest(to: word, among: ["info", "tree", "get", "check", "convert", "dump", "--depth"]) == meant)
  }

  @Test("a character with any number of marks is no mistake, and takes no time")
  func ignoresMarks() {
    let marks = "tre" + String(repeating: "\u{315}", count: 100_000) + String(repeating: "\u{300}", count: 100_000)
    #expect(Suggestion.nearest(to: marks, among: [marks + "e", "tree"]) == nil)
    #expect(Suggestion.nearest(to: "tre", among: [marks, "tree"]) == "tree")
  }

  @Test(arguments: ["", "banana", "x", String(repeating: "tree", count: 100)])
  func staysSilentOtherwise(_ word: String) {
    #expect(Suggestion.nearest(to: word, among: ["info", "tree", "get", "check"]) == nil)
  }
}
