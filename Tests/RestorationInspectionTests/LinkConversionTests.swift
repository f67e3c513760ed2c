import CorpusKit
import KeyedArchive
import RestorationArchive
import RestorationInspection
import Testing

/// Links in other forms (`Spec/json.md`, section 4.1).
@Suite struct LinkConversionTests {
  private static func links() throws -> [CorpusFile] {
    try Corpus.files(in: "links") { ArchiveCheck($0.bytes).isValid && (try? ArchiveReader(link: $0.bytes).isLink) == true }
  }

  @Test("a link becomes JSON, and the JSON the same link (R-J4-3)", arguments: try links())
  func isConvertedToJSON(_ file: CorpusFile) throws {
    let json = try ArchiveConversion.convert(file.bytes, to: .json, sensitive: .reveal, allowsLink: true).bytes
    #expect(String(decoding: json, as: UTF8.self).contains("\"baseContentDigest\""))
    #expect(try ArchiveConversion.convert(json, to: .archive, sensitive: nil).bytes == file.bytes)
    #expect(try ArchiveConversion.convert(json, to: .json, sensitive: .reveal).bytes == json)
  }

  @Test(
    "a link by itself is refused if it was not asked for, and has no form as a keyed archive (R-15.1-3, R-K4-1)",
    arguments: try links())
  func isRefused(_ file: CorpusFile) throws {
    do {
      _ = try ArchiveConversion.convert(file.bytes, to: .json, sensitive: .reveal)
      Issue.record("accepted")
    } catch {
      guard case .unreadable(let error) = error else { throw error }
      #expect(error.code.rawValue == "unresolved-link")
    }
    do {
      _ = try ArchiveConversion.convert(file.bytes, to: .keyedArchive, sensitive: .reveal, allowsLink: true)
      Issue.record("accepted")
    } catch {
      guard case .unreadableKeyedArchive(let error) = error else { throw error }
      #expect(error.code == .notExpressible)
    }
  }
}
