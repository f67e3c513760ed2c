import ArchiveFormat
import RestorationArchive
import RestorationInspection
import Testing

/// References to nodes that are not there.
@Suite struct ReferencesTests {
  private static func archive(children: Int, targets: [RestorationPath]) throws -> [UInt8] {
    let nodes = (0..<children).map { ArchiveNode("n\($0)") }
    return [UInt8](try ArchiveTree(applicationState: ["all": .array(targets.map { .reference($0) })], nodes: nodes).encoded())
  }

  /// Damages the record in the middle of the children of the application, on the way of most searches.
  private static func damageMiddle(of bytes: [UInt8]) throws -> [UInt8] {
    let records = try ArchiveReader(bytes).records
    var bytes = bytes
    let nodes = records.layout.body.lowerBound + records.metadata.nodes.lowerBound
    bytes[nodes + (1 + records.recordCount) / 2 * NodeRecord.byteCount] ^= 0x40
    return bytes
  }

  // A search among all siblings for each reference would be quadratic, and would say of more references that they are broken.
  @Test("a reference that leads past a faulty record is not looked for among all siblings, and not called broken")
  func looksAtNoSibling() throws {
    let targets = [RestorationPath](repeating: "missing", count: 2000) + ["n7", "n99"]
    let intact = try Self.archive(children: 2000, targets: targets)
    #expect(CheckReport(intact, listingLimit: 1).text.contains("… and 1999 more broken references\n"))
    let damaged = try Self.damageMiddle(of: intact)
    let report = CheckReport(damaged)
    #expect(!report.isValid && !report.text.contains("broken"))
    var options = PathTree.Options()
    (options.depth, options.showsState) = (0, true)
    var (tree, text) = (PathTree(try ArchiveReader(inspecting: damaged), options: options), "")
    tree.write(to: &text)
    #expect(text.contains("-> missing\n") && !text.contains("broken"))
    let old = ArchiveTree(nodes: [ArchiveNode("missing")])
    for (old, new) in [([UInt8](try old.encoded()), damaged), (damaged, intact)] {
      let difference = ArchiveDifference(from: try ArchiveReader(inspecting: old), to: try ArchiveReader(inspecting: new))
      #expect(difference.counts.brokenReferences == 0)
    }
  }

  @Test("a node that damage may hide is not said to be missing")
  func givesUpAtDamage() throws {
    let bytes = try Self.archive(children: 1000, targets: [])
    let (intact, damaged) = (try ArchiveReader(inspecting: bytes), try ArchiveReader(inspecting: Self.damageMiddle(of: bytes)))
    for path in ["n0", "n500", "n999", "missing", ""] as [RestorationPath] {
      #expect(intact.isBroken(path) == (path == "missing"))
      #expect(!damaged.isBroken(path))
    }
    #expect(intact.isBroken("n0/missing"))
  }

  @Test("the target of a sensitive reference is not shown unless it is revealed, at any depth")
  func hidesTargets() throws {
    let inner = ArchiveDictionary([ArchiveDictionary.Entry(key: "in", value: .reference("secret"), isSensitive: true)])
    let state = ArchiveDictionary([
      ArchiveDictionary.Entry(key: "deep", value: ["x": [.dictionary(inner)]]),
      ArchiveDictionary.Entry(key: "list", value: [.reference("secret")], isSensitive: true),
      ArchiveDictionary.Entry(key: "plain", value: .reference("gone")),
    ])
    let bytes = [UInt8](try ArchiveTree(applicationState: state).encoded())
    let lines = ["deep: broken reference to <sensitive>", "list: broken reference to <sensitive>", "plain: broken reference to gone"]
    let report = CheckReport(bytes)
    #expect(report.text == lines.map { "note: (application) \($0)\n" }.joined() + "intact: 0 nodes\n")
    #expect(report.json.contains("\"brokenReferenceCount\": 3") && !report.json.contains("secret"))
    let old = [UInt8](try ArchiveTree(applicationState: state, nodes: [ArchiveNode("gone"), ArchiveNode("secret")]).encoded())
    for sensitive in [SensitiveValues.redact, .reveal] {
      var options = ArchiveDifference.Options()
      options.sensitive = sensitive
      var targets: [RestorationPath?] = []
      ArchiveDifference(from: try ArchiveReader(inspecting: old), to: try ArchiveReader(inspecting: bytes), options: options).visitChanges {
        if case .brokenReference(let broken) = $0 { targets.append(broken.target) }
      }
      #expect(targets == (sensitive == .reveal ? ["secret", "secret", "gone"] : [nil, nil, "gone"]))
    }
  }
}
