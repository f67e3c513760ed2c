/// A text file of the corpus with its required content.
struct GeneratedFile: Sendable {
  /// The path below `Corpus`.
  var path: String
  var text: String
}
