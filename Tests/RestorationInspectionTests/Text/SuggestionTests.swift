import RestorationInspection
import Testing

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("tre", "tree"), ("chekc", "check"), ("inof", "info"), ("covnert", "convert"), ("dmup", "dump"), ("--dpth", "--depth"),
  ])
  func findsWhatWasMeant(_ word: String, _ meant: String) {
    #expect(Suggestion.nearest(to: word, among: ["info", "tree", "get", "check", "convert", "dump", "--depth"]) == meant)
  }

  @Test(arguments: ["", "banana", "x", String(repeating: "tree", count: 100)])
  func staysSilentOtherwise(_ word: String) {
    #expect(Suggestion.nearest(to: word, among: ["info", "tree", "get", "check"]) == nil)
  }
}
