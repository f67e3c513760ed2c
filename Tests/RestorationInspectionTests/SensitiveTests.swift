import PropertyKit
import Foundation
import RestorationArchive
import RestorationInspection
import TestStage
import Testing

/// Values marked as sensitive by an app appear in no output unless they are to be revealed.
@Suite struct SensitiveTests {
  static let marker = "correct horse battery staple"

  static func archive() throws -> [UInt8] {
    let tree = ArchiveTree(
      applicationState: ArchiveDictionary([
        ArchiveDictionary.Entry(key: "draft", value: .string(marker), isSensitive: true),
        ArchiveDictionary.Entry(key: "front", value: [.reference(RestorationPath(stringLiteral: marker))], isSensitive: true),
        ArchiveDictionary.Entry(key: "nested", value: ["inner": .string("plain")], isSensitive: false),
      ]),
      nodes: [
        ArchiveNode(
          "chat",
          state: ArchiveDictionary([
            ArchiveDictionary.Entry(key: "all", value: ["message": .string(marker), marker: 1], isSensitive: true),
            ArchiveDictionary.Entry(
              key: "outer",
              value: .dictionary(
                ArchiveDictionary([ArchiveDictionary.Entry(key: "inner", value: .data(Data(marker.utf8)), isSensitive: true)]))),
          ]))
      ])
    return [UInt8](try tree.encoded())
  }

  /// Everything that the library can print about an archive.
  static func outputs(of bytes: [UInt8], _ sensitive: SensitiveValues) throws -> [String] {
    let report = CheckReport(bytes)
    var outputs = [report.text, report.json]
    if let overview = try? ArchiveOverview(bytes) { outputs += [overview.text(), overview.json] }
    if let archive = try? ArchiveReader(inspecting: bytes) {
      var options = PathTree.Options()
      (options.showsState, options.showsSizes, options.sensitive) = (true, true, sensitive)
      var tree = PathTree(archive, options: options)
      var text = ""
      tree.write(to: &text)
      tree.writeJSON(to: &text)
      outputs.append(text)
      outputs.append(try comparison(of: archive, sensitive))
    }
    var text = ""
    let dump = ArchiveDump(bytes, sensitive: sensitive)
    dump.write(to: &text)
    dump.writeJSON(to: &text)
    outputs.append(text)
    if let converted = try? ArchiveConversion.convert(bytes, to: .json, sensitive: sensitive) {
      outputs.append(String(decoding: converted.bytes, as: UTF8.self))
    }
    return outputs
  }

  /// Everything that a comparison with an archive without content can print, and the sizes.
  private static func comparison(of archive: ArchiveReader, _ sensitive: SensitiveValues) throws -> String {
    let other = try ArchiveReader(inspecting: [UInt8](ArchiveTree().encoded()))
    var options = ArchiveDifference.Options()
    options.sensitive = sensitive
    var text = ""
    for (old, new) in [(archive, other), (other, archive)] {
      let difference = ArchiveDifference(from: old, to: new, options: options)
      difference.write(to: &text)
      difference.writeJSON(oldName: "a", newName: "b", to: &text)
    }
    let sizes = ArchiveSizes(archive)
    sizes.write(to: &text)
    sizes.writeJSON(of: "a", to: &text)
    return text
  }

  private static var hexOfMarker: String { marker.utf8.prefix(8).map { String($0, radix: 16) }.joined(separator: " ") }

  private static func shows(_ text: String) -> Bool {
    text.contains(marker) || text.contains(hexOfMarker) || text.contains(Data(marker.utf8).base64EncodedString())
  }

  @Test func hidesByDefault() throws {
    for output in try Self.outputs(of: Self.archive(), .redact) { #expect(!Self.shows(output), "\(output)") }
  }

  @Test func showsWhenToldTo() throws {
    #expect(try Self.outputs(of: Self.archive(), .reveal).filter(Self.shows).count == 4)
  }

  @Test("damage anywhere does not reveal hidden values (R-11-7)")
  func hidesInDamagedFiles() throws {
    let intact = try Self.archive()
    for offset in TestStage.every(13, of: intact.indices) {
      var bytes = intact
      bytes[offset] ^= 0x10
      for output in try Self.outputs(of: bytes, .redact) { #expect(!Self.shows(output), "byte \(offset)") }
    }
  }

  // Deterministic: each place, with each of a few lengths.
  @Test("after insertions or deletions, bytes of state anywhere in the file are masked", arguments: [1, 48, 100, 200])
  func hidesWhatIsOutOfPlace(_ count: Int) throws {
    let intact = try Self.archive()
    for offset in TestStage.every(9, of: intact.indices) {
      var longer = intact
      longer.insert(contentsOf: repeatElement(0, count: count), at: offset)
      var shorter = intact
      shorter.removeSubrange(offset..<min(offset + count, intact.count))
      for bytes in [longer, shorter] {
        #expect(Self.shownMarkers(of: bytes).isEmpty, "byte \(offset)")
      }
    }
  }

  /// The offsets of the marker in a file at which the dump shows some of it.
  private static func shownMarkers(of bytes: [UInt8]) -> [Int] {
    let marker = Array(marker.utf8)
    let places = bytes.indices.filter { bytes[$0] == marker[0] && bytes[$0...].starts(with: marker) }
    var shown: [Int] = []
    ArchiveDump(bytes).visitPieces { piece in
      guard !piece.isMasked else { return }
      shown += places.filter { piece.range.overlaps($0..<($0 + marker.count)) }
    }
    return shown
  }

  @Test("a value of a later type is hidden, since it may contain sensitive values")
  func hidesLaterTypes() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("root", state: ["x": ["y": .data(Data(LaterArchive.content))]])])
    let bytes = try #require(LaterArchive.make(of: [UInt8](tree.encoded())))
    for sensitive in [SensitiveValues.redact, .reveal] {
      var pieces: [ArchiveDump.Piece] = []
      ArchiveDump(bytes, sensitive: sensitive).visitPieces { pieces.append($0) }
      let value = pieces.filter { bytes[$0.range].starts(with: [0xC0, 5] + LaterArchive.content) }
      #expect(value.map(\.isMasked) == [sensitive == .redact])
    }
  }

  @Test func refusesToConvertWithoutAWord() throws {
    let bytes = try Self.archive()
    #expect(throws: ArchiveConversion.Refusal.self) { try ArchiveConversion.convert(bytes, to: .json, sensitive: nil) }
    let redacted = try ArchiveConversion.convert(bytes, to: .archive, sensitive: .redact).bytes
    let tree = try ArchiveTree(decoding: Data(redacted))
    #expect(tree.applicationState["draft"] == .null)
    #expect(tree.applicationState["nested"] == ["inner": "plain"])
    #expect(tree.hasSensitiveValues)
  }

  @Test("a redacted conversion has no sensitive value of an attribute either", arguments: ArchiveConversion.Form.allCases)
  func redactsAttributes(_ form: ArchiveConversion.Form) throws {
    var inner: ArchiveDictionary = ["token": "hunter2"]
    inner.setSensitive(true, forKey: "token")
    let below = ArchiveNode("below", attributes: ["x.y": [.dictionary(inner)]])
    let tree = ArchiveTree(nodes: [ArchiveNode("n", attributes: ["x.y": .dictionary(inner)], children: [below])])
    let converted = try ArchiveConversion.convert([UInt8](tree.encoded()), to: form, sensitive: .redact)
    #expect(converted.bytes.firstRange(of: Array("hunter2".utf8)) == nil)
  }

  @Test("a redacted conversion leaves out the sections of others, and names them (R-8-7)", arguments: ArchiveConversion.Form.allCases)
  func redactsSections(_ form: ArchiveConversion.Form) throws {
    var tree = ArchiveTree(applicationState: ["token": "hunter2"])
    tree.applicationState.setSensitive(true, forKey: "token")
    let without = try ArchiveConversion.convert(tree, to: form, sensitive: .redact)
    #expect(without.droppedSections.isEmpty)
    tree.sections = try ["abCD", "abCd"].map { try ArchiveSection(code: $0, data: Data("hunter2".utf8)) }
    let redacted = try ArchiveConversion.convert(tree, to: form, sensitive: .redact)
    #expect(redacted.bytes == without.bytes && redacted.droppedSections == ["abCD", "abCd"])
    #expect(try ArchiveConversion.convert(tree, to: form, sensitive: .reveal).droppedSections.isEmpty)
    if form == .json { #expect([UInt8](tree.json(sensitiveValues: .redact)) == redacted.bytes) }
  }
}
