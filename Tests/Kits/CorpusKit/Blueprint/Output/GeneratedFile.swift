/// A text file of the corpus as it must be on disk.
struct GeneratedFile: Sendable {
  /// The path below `Corpus`.
  var path: String
  var text: String
}
