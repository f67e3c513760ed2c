import EngineKit
import Foundation
import ProcessKit
@testable import StateRestoration
import Testing

@Suite struct ReportTests {
  private static func report(traces: Bool = false) throws -> RestorationReport {
    let tree = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode(
          "root", state: ["x": 1],
          children: [
            ArchiveNode("list", type: "List", state: ["x": 1]), ArchiveNode("plugin", type: "Plugin", state: ["x": 2]),
            ArchiveNode("bad", state: ["secret": "hunter2"]), ArchiveNode("odd\n\u{202E}name", state: ["x": 1]),
          ])
      ])
    let root = SampleObject("root", children: [SampleObject("bad")])
    return try RestorableTree(roots: [root]).restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver { Factory(type: "List", fileID: "App/Main.swift", line: 7) { _ in List("list") } },
      options: RestorationOptions(tracesDecisions: traces))
  }

  @Test("the text has the summary, then each node that was not restored, then the registrations to add")
  func tells() throws {
    let report = try Self.report()
    #expect(
      report.description == """
        restored 1 of 5; 4 not: 1 not adopted, 2 without a factory, 1 failed; their state is kept
        root/list: restored by type "List", but not adopted: its object is in no object's restorationChildren; its parent takes it from restoredChildren() while it decodes, or keeps what its factory makes; its state is carried over
        root/plugin: skipped: no factory, no object and no provider for it; its state is carried over; add Factory(type: "Plugin") { node in … }, or Alias(type: "Plugin", to: …) if its type was renamed, or give the state to an object that is made later: register(_:at:), or restoreState(of:)
        root/bad: failed: value: expected Int, found string (at offset 0x275, path root/bad, key secret) [R-12-1]; its state is kept until the object at its path changes
        root/odd\\u{a}\\u{202e}name: skipped: no factory, no object and no provider for it; its state is carried over; add Factory(path: "root/odd\\u{a}\\u{202e}name") { node in … }, or give the state to an object that is made later: register(_:at:), or restoreState(of:)
        to restore them, add to the resolver:
          Factory(type: "Plugin") { node in … }
          Factory(path: "root/odd\\u{a}\\u{202e}name") { node in … }
        """)
    #expect(!report.description.contains("hunter2") && !report.json().contains("hunter2"))
  }

  @Test("a node of a newer build gets no advice to add a factory for it; one of the same or an older build does")
  func explainsNewerBuilds() throws {
    let folder = try TemporaryFolder()
    for (number, build) in ["1.9", "1.10", "2"].enumerated() {
      let nodes = [
        ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
        ArchiveNode("old", type: "Old", origin: ArchiveOrigin(bundleVersion: "1.2"), state: ["x": 1]),
      ]
      let path = folder.url("\(number)").path
      try RestorationStore(folder: path).save([UInt8](ArchiveTree(header: .at(build: build, seconds: 1), nodes: nodes).encoded()))
      let store = try RestorationStore(StoreFolder(path: path, system: SystemFileSystem()), launch: LaunchOptions(bundleVersion: "1.10"))
      let report = try #require(try store.restore(RestorableTree(), with: Resolver()).report)
      let advice = "it was saved by the newer build 2, which may know it"
      #expect(report.why("plugin").hasSuffix("its state is carried over; \(advice)") == (build == "2"))
      #expect(report.why("old").contains("add Factory(type: \"Old\")"))
      #expect(report.resolverLines.count == (build == "2" ? 1 : 2))
    }
  }

  @Test("why explains the outcome of every path in a sentence")
  func explains() throws {
    let report = try Self.report()
    #expect(report.why("root") == "found as an existing object and restored")
    #expect(report.why("root/list").hasPrefix("restored by type \"List\", but not adopted: "))
    #expect(report.why("nowhere") == "the archive has no node at nowhere")
    #expect(report.application == .placeholder)
  }

  @Test("79, 91: for a node that names its provider, the report shows the provider's registration, and there is a line for the app")
  func explainsProviders() throws {
    let panel = SampleObject("panel", values: ["x": 1])
    panel.restorationProvider = ProviderReference(name: "plug-in", identifier: "panel")
    let archive = try RestorableTree.saved([panel])
    let report = try RestorableTree().restore(from: archive, with: Resolver())
    let line = "Factory(provider: \"plug-in\") { node in … }"
    #expect(
      report.why("panel") == "skipped: no factory, no object and no provider for it; its state is carried over; "
        + "add \(line), or give the state to an object that is made later: register(_:at:), or restoreState(of:)")
    #expect(report.description.hasSuffix("\n  \(line)"))
    #expect(report.keptLine == "saved state was not taken in, and is kept: panel: \(report.why("panel"))")
    let missing = ArchiveResolution(of: archive, with: Resolver()).nodes.filter { $0.outcome == .skipped(.noFactory) }
    #expect(missing.map(\.line) == [line])
  }

  @Test("the JSON has the same content under stable names")
  func encodes() throws {
    let json = try Self.report(traces: true).json()
    for line in [
      #""summary" : "restored 1 of 5; 4 not: 1 not adopted, 2 without a factory, 1 failed; their state is kept""#,
      #""outcome" : "skipped-no-factory""#,
      #""rule" : "type \"List\"""#, #""place" : "App/Main.swift:7""#, #""isCarriedOver" : true"#, #""outcome" : "not-adopted""#,
      #""type \"List\": an object""#, #""isDegraded" : false"#, #""isKept" : true"#,
    ] { #expect(json.contains(line), "\(line)") }
  }

  @Test("an app's error shows no value that could not be encoded")
  func hidesValues() throws {
    struct Refusing: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue("hunter2", .init(codingPath: encoder.codingPath, debugDescription: "no"))
      }
    }
    let object = SampleObject("a")
    object.encoding = { try $0.encode(Refusing(), forKey: "token") }
    let application = RestorableTree(roots: [object])
    try application.startFresh()
    let text = try application.preserve(header: .sample).report.description
    #expect(!text.contains("hunter2") && text.contains("EncodingError for String (at token)"))
  }
}
