import ArchiveFormat
import Foundation
import RestorationArchive
import Testing

/// A reader's limits are exact, and exceeding them is not a fault of the file (R-10-1, R-10-2).
@Suite struct ReaderLimitsTests {
  let bytes: [UInt8]

  init() throws {
    bytes = [UInt8](try Self.tree.encoded())
  }

  static let tree = ArchiveTree(
    applicationState: ["list": [["a", ["b"]]]], nodes: (0..<5).map { ArchiveNode("node-\($0)", state: ["row": .integer($0)]) })
  /// A limit, and the amount that this archive needs.
  struct Limit: Sendable, CustomTestStringConvertible {
    let name: String
    let needed: Int
    let code: ArchiveError.Code
    let limits: @Sendable (Int) -> ReaderLimits

    var testDescription: String { name }
  }

  static func all() throws -> [Limit] {
    let bytes = [UInt8](try tree.encoded())
    return [
      // Five nodes, five rows, and five values in the nested list.
      Limit(name: "values", needed: 15, code: .valueBudget) { ReaderLimits(values: $0) },
      Limit(name: "file length", needed: bytes.count, code: .readerLimit) { ReaderLimits(fileLength: $0) },
      Limit(name: "metadata length", needed: Int(ArchivePrefix(reading: bytes.span).metadataLength), code: .readerLimit) {
        ReaderLimits(metadataLength: $0)
      },
      Limit(name: "nodes", needed: 5, code: .readerLimit) { ReaderLimits(nodes: $0) },
      Limit(name: "nesting", needed: 3, code: .readerLimit) { ReaderLimits(nesting: $0) },
    ]
  }

  @Test("everything is read at the limit, and nothing one below it (R-10-2)", arguments: try all())
  func keeps(_ limit: Limit) throws {
    #expect(try ArchiveTree(decoding: Data(bytes), limits: limit.limits(limit.needed)) == Self.tree)
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveTree(decoding: Data(bytes), limits: limit.limits(limit.needed - 1))
    }
    #expect(error?.code == limit.code)
    #expect(error?.kind == .limit)
    #expect(error?.rule == "R-10-1")
    #expect(ArchiveCheck(bytes).isValid)
  }

  @Test("salvage enforces the limits too", arguments: try all())
  func keepsInSalvage(_ limit: Limit) throws {
    // Salvage builds nodes from records, so only values count.
    let needed = limit.name == "values" ? limit.needed - 5 : limit.needed
    #expect(ArchiveSalvage(bytes, limits: limit.limits(needed)).tree == Self.tree)
    let salvage = ArchiveSalvage(bytes, limits: limit.limits(needed - 1))
    #expect((salvage.failure ?? salvage.losses.first?.cause)?.code == limit.code)
  }

  @Test("any value budget that is too small causes that error, with a path", arguments: 0..<15)
  func keepsAnyBudget(_ values: Int) {
    let error = #expect(throws: ArchiveError.self) { try ArchiveTree(decoding: Data(bytes), limits: ReaderLimits(values: values)) }
    #expect(error?.code == .valueBudget && error?.path != nil)
  }

  @Test("Codable values and single keyed values obey the nesting limit too")
  func keepsNestingInCoding() throws {
    let reader = try ArchiveReader(bytes, limits: ReaderLimits(nesting: 3))
    #expect(try reader.application().decoder().containsValue(forKey: "list"))
    struct Outer: Codable, Equatable { var inner: [[Int]] }
    let outer = Outer(inner: [[1]])
    let archive = ArchiveWriter()
    try archive.encodeApplicationState { try $0.encode(outer, forKey: "outer") }
    let archiveBytes = try archive.finish()
    for (nesting, code) in [(3, nil), (2, "reader-limit"), (1, "reader-limit"), (0, "reader-limit")] as [(Int, String?)] {
      let decoder = try ArchiveReader(archiveBytes, limits: ReaderLimits(nesting: nesting)).application().decoder()
      do {
        #expect(try decoder.decode(Outer.self, forKey: "outer") == outer)
        #expect(code == nil)
      } catch {
        #expect("\(error)".contains("at most \(nesting) levels"), "\(error)")
        #expect(code != nil)
      }
    }
  }

  @Test("data in the form in which it encodes itself obeys the nesting limit, which is the reason that is given")
  func keepsNestingOfOwnForms() throws {
    let archive = ArchiveWriter()
    try archive.encodeApplicationState { try $0.encode([[[1, 2]]], forKey: "data") }
    let archiveBytes = try archive.finish()
    #expect(try ArchiveReader(archiveBytes).application().decoder().decode([[Data]].self, forKey: "data") == [[Data([1, 2])]])
    let decoder = try ArchiveReader(archiveBytes, limits: ReaderLimits(nesting: 2)).application().decoder()
    let error = #expect(throws: (any Error).self) { try decoder.decode([[Data]].self, forKey: "data") }
    #expect("\(String(describing: error))".contains("at most 2 levels"))
  }

  @Test("limits cannot be set beyond those of the format")
  func staysWithinFormat() {
    var limits = ReaderLimits(fileLength: .max, metadataLength: .max, nodes: .max, nesting: .max)
    #expect(limits == .standard)
    (limits.fileLength, limits.metadataLength, limits.nodes, limits.nesting) = (.max, .max, .max, .max)
    #expect(limits == .standard)
    #expect(limits.fileLength == 4_294_967_295)
    #expect(limits.metadataLength == 16_777_216)
    #expect(limits.nodes == 89_478_484)
    #expect(limits.nesting == 128)
    #expect(limits.values == 16_777_216)
    limits.nodes = 7
    #expect(limits != .standard)
  }
}
