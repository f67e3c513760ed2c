extension Vectors {
  static let blocks: [Specimen] = [
    .vector(
      "body-across-blocks", padded(3760), "The body is short but touches two blocks, so that no leaf is left unused."),
    .vector(
      "body-from-block-boundary", padded(3789), "The body begins with block 1; block 0 has no leaf, and the second leaf is unused."),
    .vector(
      "body-of-one-whole-block", padded(3788, value: .data([UInt8](repeating: 7, count: 4044))),
      "The body begins and ends on block boundaries."),
    .vector(
      "body-ending-behind-block-boundary", padded(3789, value: .data([UInt8](repeating: 7, count: 4045))),
      "The body begins with block 1 and ends with the first byte of block 2."),
    .vector(
      "body-of-three-blocks",
      Draft(application: ["fill": .data([UInt8](repeating: 7, count: 9000))]),
      "A value that covers a whole block and parts of two others."),
  ]

  /// Returns an archive with header text of a given length, which determines the start of the body.
  private static func padded(_ count: Int, value: DraftValue = 1) -> Draft {
    Draft(header: ["x.padding": .string(String(repeating: "p", count: count))], application: ["n": value])
  }
}
