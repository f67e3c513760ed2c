/// A file in the making: every field is a piece that can be changed, and what is left alone is computed at the end.
///
/// A draft gives a blueprint of a valid file. Edits then put in the fault:
///
/// ```swift
/// var blueprint = try Blueprint(draft)
/// try blueprint.set("NODE[4].childCount", Bytes.u32(1), right: "0")
/// let file = try blueprint.assemble()
/// ```
struct Blueprint {
  /// The bytes of one section.
  struct Section {
    /// The first part of the labels of its pieces.
    var name: String
    var pieces: [Piece]

    /// The bytes of all pieces.
    var bytes: [UInt8] { pieces.flatMap(\.bytes) }
  }

  /// The six parts of the metadata, one after the other (Spec 4.3).
  var metadata: [Piece]
  /// The body: the sections in the order of the directory.
  var sections: [Section]
  /// Fields of the prefix, its copy and the tree that are not to be computed, by label.
  var fixed: [String: Piece] = [:]
  /// Labels of section lengths that are not to be computed.
  private(set) var fixedLengths: Set<String> = []

  /// Changes the field at fault.
  ///
  /// The label is that of a piece, or of a field of the prefix (`prefix.features`), of its copy (`prefixCopy.features`), or of
  /// the tree (`tree.leaf[1]`). What depends on the field is computed with the fault in it.
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

  /// Changes the field at fault to a string with its length in front.
  mutating func set(_ label: String, text: String, right: String?) throws {
    try set(label, Bytes.string(text), right: right)
    try edit(label) { $0.textStart = Bytes.varint(text.utf8.count).count }
  }

  /// Changes a field as another edit makes necessary; it is not the one at fault.
  mutating func adapt(_ label: String, _ bytes: [UInt8]) throws {
    try set(label, bytes, right: nil)
  }

  /// Puts pieces in front of a field; the first of them is marked as the fault.
  mutating func insert(_ new: [Piece], before label: String, right: String?) throws {
    var new = new
    if !new.isEmpty { new[0].fault = right }
    try splice(label) { pieces, index in pieces.insert(contentsOf: new, at: index) }
  }

  /// Puts pieces behind a field; the first of them is marked as the fault.
  mutating func insert(_ new: [Piece], after label: String, right: String?) throws {
    var new = new
    if !new.isEmpty { new[0].fault = right }
    try splice(label) { pieces, index in pieces.insert(contentsOf: new, at: index + 1) }
  }

  /// Takes a field out; the one behind it, or else the one before it, is marked as the fault.
  mutating func remove(_ label: String, right: String?) throws {
    try splice(label) { pieces, index in
      pieces.remove(at: index)
      guard right != nil, !pieces.isEmpty else { return }
      pieces[min(index, pieces.count - 1)].fault = right
    }
  }

  /// Exchanges the bytes of two fields; the second is marked as the fault.
  mutating func exchange(_ first: String, _ second: String, right: String?) throws {
    let (one, other) = (try piece(first), try piece(second))
    try edit(first) { ($0.bytes, $0.meaning, $0.textStart) = (other.bytes, other.meaning, other.textStart) }
    try edit(second) { ($0.bytes, $0.meaning, $0.textStart, $0.fault) = (one.bytes, one.meaning, one.textStart, right) }
  }

  /// Marks a field as the one at fault without changing it.
  mutating func mark(_ label: String, right: String) throws {
    try edit(label) { $0.fault = right }
  }

  /// The length of the file as it is now.
  func fileLength() throws -> Int {
    try assemble().bytes.count
  }

  /// A field as it is now.
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
