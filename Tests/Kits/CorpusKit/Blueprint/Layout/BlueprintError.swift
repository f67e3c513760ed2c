/// A mistake in a table, such as a label that the file does not have.
struct BlueprintError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
