import Foundation
import RestorationArchive
@testable import RestorationInspection
import Testing

/// What a review of redaction found.
@Suite struct ReviewRedactionTests {
  @Test("a redacted conversion has no sensitive value of an attribute either", arguments: ArchiveConversion.Form.allCases)
  func redactsAttributes(_ form: ArchiveConversion.Form) throws {
    var inner: ArchiveDictionary = ["token": "hunter2"]
    inner.setSensitive(true, forKey: "token")
    let below = ArchiveNode("below", attributes: ["x.y": [.dictionary(inner)]])
    let tree = ArchiveTree(nodes: [ArchiveNode("n", attributes: ["x.y": .dictionary(inner)], children: [below])])
    let converted = try ArchiveConversion.convert([UInt8](tree.encoded()), to: form, sensitive: .redact)
    #expect(converted.firstRange(of: Array("hunter2".utf8)) == nil)
  }
}
