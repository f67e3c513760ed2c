import CorpusKit
import Foundation
import RestorationArchive
import RestorationInspection
import Testing

/// What an app marked as sensitive is in no output, unless it is to be revealed.
@Suite struct SensitiveTests {
  static let marker = "correct horse battery staple"

  static func archive() throws -> [UInt8] {
    let tree = ArchiveTree(
      applicationState: ArchiveDictionary([
        ArchiveDictionary.Entry(key: "draft", value: .string(marker), isSensitive: true),
        ArchiveDictionary.Entry(key: "nested", value: ["inner": .string("plain")], isSensitive: false),
      ]),
      nodes: [
        ArchiveNode(
          "chat",
          state: ArchiveDictionary([
            ArchiveDictionary.Entry(key: "all", value: ["message": .string(marker)], isSensitive: true),
            ArchiveDictionary.Entry(
              key: "outer",
              value: .dictionary(
                ArchiveDictionary([ArchiveDictionary.Entry(key: "inner", value: .data(Data(marker.utf8)), isSensitive: true)]))),
          ]))
      ])
    return [UInt8](try tree.encoded())
  }

  /// Everything that the library can print of an archive.
  static func outputs(of bytes: [UInt8], _ sensitive: SensitiveValues) throws -> [String] {
    var outputs = [CheckReport(bytes).text(), CheckReport(bytes).json]
    if let overview = try? ArchiveOverview(bytes) { outputs += [overview.text(), overview.json] }
    if let archive = try? InspectedArchive(bytes) {
      var options = PathTree.Options()
      (options.showsState, options.showsSizes, options.sensitive) = (true, true, sensitive)
      var tree = PathTree(archive, options: options)
      var text = ""
      tree.write(to: &text)
      tree.writeJSON(to: &text)
      outputs.append(text)
    }
    var text = ""
    ArchiveDump(bytes, sensitive: sensitive).write(to: &text)
    ArchiveDump(bytes, sensitive: sensitive).writeJSON(to: &text)
    outputs.append(text)
    if let converted = try? ArchiveConversion.convert(bytes, to: .json, sensitive: sensitive) {
      outputs.append(String(decoding: converted, as: UTF8.self))
    }
    return outputs
  }

  private static var hexOfMarker: String { marker.utf8.prefix(8).map { String($0, radix: 16) }.joined(separator: " ") }

  private static func shows(_ text: String) -> Bool {
    text.contains(marker) || text.contains(hexOfMarker) || text.contains(Data(marker.utf8).base64EncodedString())
  }

  @Test func hidesByDefault() throws {
    for output in try Self.outputs(of: Self.archive(), .redact) { #expect(!Self.shows(output), "\(output)") }
  }

  @Test func showsWhenToldTo() throws {
    #expect(try Self.outputs(of: Self.archive(), .reveal).filter(Self.shows).count == 3)
  }

  @Test("damage anywhere does not bring hidden values to light")
  func hidesInDamagedFiles() throws {
    let intact = try Self.archive()
    for offset in intact.indices {
      var bytes = intact
      bytes[offset] ^= 0x10
      for output in try Self.outputs(of: bytes, .redact) { #expect(!Self.shows(output), "byte \(offset)") }
    }
  }

  @Test func refusesToConvertWithoutAWord() throws {
    let bytes = try Self.archive()
    #expect(throws: ArchiveConversion.Refusal.self) { try ArchiveConversion.convert(bytes, to: .json, sensitive: nil) }
    let redacted = try ArchiveConversion.convert(bytes, to: .archive, sensitive: .redact)
    let tree = try ArchiveTree(decoding: Data(redacted))
    #expect(tree.applicationState["draft"] == .null)
    #expect(tree.applicationState["nested"] == ["inner": "plain"])
    #expect(tree.hasSensitiveValues)
  }
}
