import CorpusKit
import Testing

/// The syntax of `.expect` files, as described in `Corpus/README.md`.
@Suite struct ExpectationTests {
  @Test func printsAndParses() throws {
    let expectation = Expectation(
      outcome: .invalid,
      findings: [
        ExpectedFinding(code: "key-order", offset: 0x1f, rule: "R-6.2-3", path: "a b/c~1d", key: "100% \u{e9}"),
        ExpectedFinding(code: "empty-key", offset: 0, rule: "R-6.2-4", path: "", key: ""),
        ExpectedFinding(code: "tree-padding", offset: 4096, rule: "R-4.4-2"),
      ], reason: "Keys ascend: always.")
    let text = """
      outcome: invalid
      finding: key-order 0x1f R-6.2-3 path=a%20b/c~1d key=100%25%20%C3%A9
      finding: empty-key 0x0 R-6.2-4 path= key=
      finding: tree-padding 0x1000 R-4.4-2
      reason: Keys ascend: always.

      """
    #expect(expectation.description == text)
    #expect(try Expectation(parsing: text) == expectation)
  }

  @Test func findingsAreComparedByBytes() {
    let composed = ExpectedFinding(code: "key-order", offset: 0, rule: "R-6.2-3", key: "\u{e9}")
    let decomposed = ExpectedFinding(code: "key-order", offset: 0, rule: "R-6.2-3", key: "e\u{301}")
    #expect(composed != decomposed)
  }

  @Test(
    "malformed expectations are rejected",
    arguments: [
      "", "outcome: valid\n", "reason: x\n", "outcome: fine\nreason: x\n", "outcome: valid\nfinding: a 0x0 R-4.4-2\nreason: x\n",
      "outcome: invalid\nreason: x\n", "outcome: invalid\nfinding: a 0 R-4.4-2\nreason: x\n",
      "outcome: invalid\nfinding: a 0x0\nreason: x\n",
      "outcome: invalid\nfinding: a 0x0 R-4.4-2 key=a path=b\nreason: x\n",
      "outcome: invalid\nfinding: a 0x0 R-4.4-2 path=%zz\nreason: x\n",
      "outcome: invalid\nfinding: a 0x0 R-4.4-2 path=%61\nreason: x\n", "outcome: invalid\nfinding: a 0x0 R-4.4-2 other=1\nreason: x\n",
      "outcome: valid\nreason: x\nreason: y\n", "outcome: valid\nnote: x\nreason: y\n",
    ])
  func refuses(_ text: String) {
    #expect(throws: ExpectationError.self) { try Expectation(parsing: text) }
  }
}
