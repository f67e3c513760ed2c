import ArchiveFormat
import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// The classes of conformance that are claimed for the libraries (Spec chapter 13).
@Suite struct ConformanceTests {
  /// The archives that are valid, and no links.
  static func valid() throws -> [CorpusFile] {
    try Corpus.files { $0.expectation?.findings.isEmpty != false && ArchiveChecker($0.bytes).metadata?.link == nil }
  }

  @Test("a reader opens an archive unless a finding stops or it is a link (R-13-1)", arguments: try Corpus.files())
  func opens(_ file: CorpusFile) {
    let checker = ArchiveChecker(file.bytes)
    // The checks reach the records only if no finding has stopped them. Of two damaged copies of the metadata, the reader
    // reports the first one.
    let last = checker.metadata == nil ? checker.findings.last : nil
    let stop = last?.error.code == .metadataDamaged ? checker.findings.first { $0.error.code == .metadataDamaged } : last
    do {
      _ = try ArchiveReader(file.bytes)
      #expect(stop == nil && checker.metadata?.link == nil)
    } catch {
      if let stop {
        #expect(error.code.rawValue == stop.error.code.rawValue && error.offset == stop.error.offset)
      } else {
        #expect(error.code.rawValue == "unresolved-link" && checker.metadata?.link != nil)
      }
    }
  }

  /// The archives that can be opened: no finding stops the check, and they are no links.
  static func readable() throws -> [CorpusFile] {
    try Corpus.files { (try? ArchiveReader($0.bytes)) != nil }
  }

  @Test("a reader of whole archives refuses all but damage that costs no content (R-13-1)", arguments: try readable())
  func refuses(_ file: CorpusFile) throws {
    let harmless = ["prefix-damaged", "metadata-damaged", "tree-damaged"]
    let first = file.expectation?.findings.first { !harmless.contains($0.code) }
    do {
      _ = try ArchiveTree(decoding: Data(file.bytes))
      #expect(first == nil)
    } catch {
      #expect(error.code.rawValue == first?.code && error.offset == first?.offset)
    }
  }

  /// The codes of the checks that a reader of single values may leave out (Spec §7.2).
  private static let mayBeLeftOut = [
    "prefix-damaged", "prefix-copies-differ", "metadata-damaged", "tree-damaged", "tree-padding", "saved-order",
    "duplicate-identifier", "sibling-order", "state-order", "string-order", "duplicate-string", "unused-bytes", "unused-origin",
    "unused-type", "unused-key",
  ]

  /// The files in which `firstChild` only does not continue the record before, and one in which no path leads to the record.
  private static let breaksContinuity = [
    "child-range-begins-early", "child-ranges-overlapping", "first-child-leaves-a-hole", "first-child-own-index-that-continues",
  ]

  @Test(
    "a reader of single values applies the checks of the units that it visits (R-13-1)",
    arguments: try readable().filter { !$0.path.hasPrefix("damaged/") })
  func refusesWhatItVisits(_ file: CorpusFile) throws {
    var errors: [ArchiveError] = []
    func visit(_ node: Result<NodeReader, ArchiveError>) {
      do throws(ArchiveError) {
        let node = try node.get()
        do throws(ArchiveError) { _ = try node.state() } catch { errors.append(error) }
        node.visitChildren(visit)
      } catch {
        errors.append(error)
      }
    }
    let archive = try ArchiveReader(file.bytes)
    visit(Result { () throws(ArchiveError) in try archive.application() })
    guard let first = file.expectation?.findings.first, !Self.mayBeLeftOut.contains(first.code),
      !Self.breaksContinuity.contains(file.name)
    else { return }
    // Without the record before, D3 finds some of what D2 is about, in the next field.
    let places = first.code == "child-range" ? [first.offset, first.offset + 4] : [first.offset]
    #expect(errors.contains { $0.code.rawValue == first.code && places.contains($0.offset ?? -1) })
  }

  @Test("an archive that is read and written again has the same bytes (R-13-6)", arguments: try valid())
  func rewrites(_ file: CorpusFile) throws {
    #expect([UInt8](try ArchiveTree(decoding: ArchiveReader(file.bytes)).encoded()) == file.bytes)
  }

  @Test("an archive is written from the content beside it, and the content from the archive (R-13-2, R-13-4)", arguments: try valid())
  func writes(_ file: CorpusFile) throws {
    let isListed = ["valid/", "limits/valid/", "golden/"].contains { file.path.hasPrefix($0) }
    #expect(file.json != nil || !isListed)
    guard let json = file.json else { return }
    let tree = try ArchiveTree(json: Data(json.utf8))
    #expect([UInt8](try tree.encoded()) == file.bytes)
    #expect(String(decoding: try ArchiveTree(decoding: ArchiveReader(file.bytes)).json(), as: UTF8.self) == json)
  }
}
