/// The list of all archives of the corpus with their hashes.
enum Manifest {
  /// The path below `Corpus`.
  static let path = "manifest.tsv"

  /// Returns the manifest of the files on disk.
  static func text() throws -> String {
    try Corpus.files().map { file in
      let digits = String(XXHash64.hash(file.bytes), radix: 16)
      let hash = String(repeating: "0", count: 16 - digits.count) + digits
      return "\(file.path)\t\(file.expectation?.outcome.rawValue ?? "-")\t\(file.bytes.count)\t\(hash)\n"
    }.joined()
  }
}
