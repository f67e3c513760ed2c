/// A corpus file derived from another by changing bytes without updating checksums.
struct Damage: Sendable {
  /// A change; changes are applied in order.
  enum Step: Sendable {
    /// Inverts bits of one byte.
    case flip(Place, mask: UInt8)
    /// Overwrites bytes.
    case write(Place, [UInt8])
    /// Overwrites bytes with zeros up to another place.
    case zero(Place, to: Place)
    /// Swaps two ranges of the same length.
    case swap(Place, Place, count: Int)
    /// Truncates the file.
    case truncate(Place)
    /// Adds bytes at the end.
    case append([UInt8])
  }

  var folder: String
  var name: String
  /// The original file.
  var base: Specimen
  var steps: [Step]
  var findings: [Finding]
  var reason: String

  init(_ name: String, in folder: String = "damaged", of base: Specimen, _ steps: [Step], _ findings: [Finding], _ reason: String) {
    self.folder = folder
    self.name = name
    self.base = base
    self.steps = steps
    self.findings = findings
    self.reason = reason
  }

  /// Returns the `.hex` and `.expect` files.
  func files() throws -> [GeneratedFile] {
    let stem = "\(folder)/\(name)"
    do {
      let file = try base.assemble()
      var source = HexSource(title: "\(stem): \(reason)")
      source.line("@base \(relativePath(to: base))")
      for step in steps {
        try Self.write(step, of: file, to: &source)
      }
      let expectation = try Expectation(findings.map { try $0.expected(in: file) }, reason: reason)
      return [GeneratedFile(path: stem + ".hex", text: source.text), GeneratedFile(path: stem + ".expect", text: expectation.description)]
    } catch {
      throw BlueprintError("\(stem): \(error)")
    }
  }

  private func relativePath(to base: Specimen) -> String {
    let up = folder == base.folder ? "" : folder.split(separator: "/").map { _ in "../" }.joined() + base.folder + "/"
    return "\(up)\(base.name).hex"
  }

  private static func write(_ step: Step, of file: Assembly, to source: inout HexSource) throws {
    switch step {
    case .flip(let place, let mask):
      let offset = try place.offset(in: file)
      try overwrite([file.bytes[offset] ^ mask], at: offset, of: file, in: &source)
    case .write(let place, let bytes):
      try overwrite(bytes, at: place.offset(in: file), of: file, in: &source)
    case .zero(let place, let end):
      let offset = try place.offset(in: file)
      try overwrite([UInt8](repeating: 0, count: end.offset(in: file) - offset), at: offset, of: file, in: &source)
    case .swap(let first, let second, let count):
      let (first, second) = (try first.offset(in: file), try second.offset(in: file))
      try overwrite(Array(file.bytes[second..<second + count]), at: first, of: file, in: &source)
      try overwrite(Array(file.bytes[first..<first + count]), at: second, of: file, in: &source)
    case .truncate(let place):
      let length = try place.offset(in: file)
      source.line("@truncate \(length)  # FAULT: the base has \(file.bytes.count) bytes")
    case .append(let bytes):
      source.line("@append")
      source.add(bytes, comment: "behind the last byte", fault: "nothing may stand here")
    }
  }

  private static func overwrite(_ bytes: [UInt8], at offset: Int, of file: Assembly, in source: inout HexSource) throws {
    let end = offset + bytes.count
    guard end <= file.bytes.count else { throw BlueprintError("0x\(String(end, radix: 16)) is past the end") }
    let right = bytes.count <= 8 ? file.bytes[offset..<end].map { String($0, radix: 16) }.joined(separator: " ") : "other bytes"
    source.line("@at \(Comment.offset(offset))")
    source.add(bytes, comment: place(offset, in: file), fault: "the base has \(right) here")
  }

  /// Returns the label of the innermost part that contains an offset.
  private static func place(_ offset: Int, in file: Assembly) -> String {
    let around = file.places.filter { $0.value.contains(offset) && $0.key != "fault" }
    let best = around.min { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
    return best.map { "in \($0.key)" } ?? "in the file"
  }
}
