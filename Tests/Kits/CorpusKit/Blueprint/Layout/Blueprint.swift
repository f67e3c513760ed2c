/// A file under construction: every field is an editable piece, and derived fields without an edit are computed at the
/// end.
///
/// A draft gives the blueprint of a valid file. Edits then insert the fault:
///
/// ```swift
/// var blueprint = try Blueprint(draft)
/// try blueprint.set("NODE[4].childCount", Bytes.u32(1), right: "0")
/// let file = try blueprint.assemble()
/// ```
struct Blueprint {
  /// The bytes of one section.
  struct Section {
    /// The label prefix of the section's pieces.
    var name: String
    var pieces: [Piece]

    /// The bytes of all pieces.
    var bytes: [UInt8] { pieces.flatMap(\.bytes) }
  }

  /// The six consecutive parts of the metadata (Spec 4.3).
  var metadata: [Piece]
  /// The body: the sections in the order of the directory.
  var sections: [Section]
  /// The fixed fields of the prefix, its copy and the tree, by label; they are not computed.
  var fixed: [String: Piece] = [:]
  /// The labels of fixed section lengths, which are not computed.
  private(set) var fixedLengths: Set<String> = []

  /// Changes the field at fault.
  ///
  /// The label is that of a piece, or of a field of the prefix (`prefix.features`), of its copy
  /// (`prefixCopy.features`), or of the tree (`tree.leaf[1]`). Fields that depend on it are computed with the fault in
  /// place.
  mutating func set(_ label: String, _ bytes: [UInt8], right: String?) throws {
    guard !isComputed(label) else {
      fixed[label] = Piece(label, bytes, label.hasSuffix("Digest") || label.hasPrefix("tree") ? "" : Bytes.number(bytes))
      fixed[label]?.fault = right
      return
    }
    try edit(label) { piece in
      piece.meaning = UInt64(piece.meaning) == nil ? "" : Bytes.number(bytes)
      piece.bytes = bytes
      piece.fault = right
      piece.textStart = nil
    }
    if label.hasPrefix("directory"), label.hasSuffix(".length") { fixedLengths.insert(label) }
  }

  /// Changes the field at fault to a string with a length prefix.
  mutating func set(_ label: String, text: String, right: String?) throws {
    try set(label, Bytes.string(text), right: right)
    try edit(label) { $0.textStart = Bytes.varint(text.utf8.count).count }
  }

  /// Changes a field to match another edit, without marking it as the fault.
  mutating func adapt(_ label: String, _ bytes: [UInt8]) throws {
    try set(label, bytes, right: nil)
  }

  /// Inserts pieces before a field, and marks the first of them as the fault.
  mutating func insert(_ new: [Piece], before label: String, right: String?) throws {
    var new = new
    if !new.isEmpty { new[0].fault = right }
    try splice(label) { pieces, index in pieces.insert(contentsOf: new, at: index) }
  }

  /// Inserts pieces after a field, and marks the first of them as the fault.
  mutating func insert(_ new: [Piece], after label: String, right: String?) throws {
    var new = new
    if !new.isEmpty { new[0].fault = right }
    try splice(label) { pieces, index in pieces.insert(contentsOf: new, at: index + 1) }
  }

  /// Removes a field, and marks the next one as the fault, or the previous one if there is no next.
  mutating func remove(_ label: String, right: String?) throws {
    try splice(label) { pieces, index in
      pieces.remove(at: index)
      guard right != nil, !pieces.isEmpty else { return }
      pieces[min(index, pieces.count - 1)].fault = right
    }
  }

  /// Swaps the bytes of two fields, and marks the second as the fault.
  mutating func exchange(_ first: String, _ second: String, right: String?) throws {
    let (one, other) = (try piece(first), try piece(second))
    try edit(first) { ($0.bytes, $0.meaning, $0.textStart) = (other.bytes, other.meaning, other.textStart) }
    try edit(second) { ($0.bytes, $0.meaning, $0.textStart, $0.fault) = (one.bytes, one.meaning, one.textStart, right) }
  }

  /// Marks a field as the fault without changing it.
  mutating func mark(_ label: String, right: String) throws {
    try edit(label) { $0.fault = right }
  }

  /// Returns the current length of the file.
  func fileLength() throws -> Int {
    try assemble().bytes.count
  }

  /// Returns the current content of a field.
  func piece(_ label: String) throws -> Piece {
    for piece in metadata + sections.flatMap(\.pieces) where piece.label == label {
      return piece
    }
    throw BlueprintError("no field \(label)")
  }

  private func isComputed(_ label: String) -> Bool {
    ["prefix.", "prefixCopy.", "tree."].contains { label.hasPrefix($0) }
  }

  private mutating func edit(_ label: String, _ change: (inout Piece) -> Void) throws {
    try splice(label) { pieces, index in change(&pieces[index]) }
  }

  private mutating func splice(_ label: String, _ change: (inout [Piece], Int) -> Void) throws {
    if let index = metadata.firstIndex(where: { $0.label == label }) {
      change(&metadata, index)
      return
    }
    for section in sections.indices {
      if let index = sections[section].pieces.firstIndex(where: { $0.label == label }) {
        change(&sections[section].pieces, index)
        return
      }
    }
    throw BlueprintError("no field \(label)")
  }
}
