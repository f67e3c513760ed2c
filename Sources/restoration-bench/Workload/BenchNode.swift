/// A node of the model that all formats encode.
final class BenchNode {
  let identifier: String
  let type: String
  let entries: [BenchEntry]
  var children: [BenchNode] = []

  init(identifier: String, type: String, entries: [BenchEntry]) {
    self.identifier = identifier
    self.type = type
    self.entries = entries
  }
}
