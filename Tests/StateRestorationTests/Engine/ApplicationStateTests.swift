import EngineKit
@testable import StateRestoration
import Testing

/// Behaviours 68: application state evolves as nodes do.
@Suite struct ApplicationStateTests {
  private final class FirstDelegate: RestorationDelegate {
    @Restored var colours = "dark"
  }

  private final class Delegate: RestorationDelegate {
    let applicationSchemaVersion = 2
    @Restored var theme = "light"
    @Restored var font = "mono"
    @Restored("size", isSensitive: true) var fontSize = 12
    var seen: [String] = []

    func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
      seen = coder.allKeys.sorted()
      return .restore
    }
  }

  private static func resolver() throws -> Resolver {
    try Resolver {
      Upgrade(applicationStateFrom: 0, to: 1) { $0.rename("colours", to: "colors") }
      Upgrade(applicationStateFrom: 1, to: 2) { $0.rename("colors", to: "theme") }
    }
  }

  private static func saved(_ delegate: any RestorationDelegate, _ roots: [any Restorable] = []) throws -> ArchiveReader {
    let application = RestorableTree(roots: roots, delegate: delegate)
    try application.startFresh()
    return try application.saved()
  }

  @Test("68, R-3.5-4: the state is upgraded, a new field keeps its default, and the version is saved")
  func behaviour68Upgrades() throws {
    let first = try Self.saved(FirstDelegate(), [SampleObject("a", values: ["x": 1])])
    #expect(first.header.additional == [:])
    let delegate = Delegate()
    let a = SampleObject("a")
    var theme: String?
    a.decoding = { theme = try $0.applicationState().decode(String.self, forKey: "theme") }
    let application = RestorableTree(roots: [a], delegate: delegate)
    let report = try application.restore(from: first, with: Self.resolver())
    #expect(delegate.theme == "dark" && delegate.font == "mono" && delegate.fontSize == 12)
    #expect(delegate.seen == ["theme"] && theme == "dark")
    #expect(report.application == .restored && report.applicationUpgrade == 0...2)
    #expect(report.why(.application) == "restored after upgrade 0 -> 2" && report.summary == "restored 1 of 1")
    #expect(report.json().contains(#""applicationUpgradedTo" : 2"#))
    let second = try application.saved()
    #expect(second.header.additional == ["restoration.applicationSchema": 2])
    #expect(try second.application().state().entry(forKey: "size")?.isSensitive == true)
    // Nothing is upgraded twice.
    let next = Delegate()
    next.theme = ""
    let again = try RestorableTree(delegate: next).restore(from: second, with: Self.resolver())
    #expect(next.theme == "dark" && again.applicationUpgrade == nil)
  }

  @Test("68: an upgrade can move a value to a node, and the node decodes it")
  func behaviour68MovesToNodes() throws {
    let archive = try Self.saved(FirstDelegate(), [SampleObject("window", children: [SampleObject("pane", values: ["x": 1])])])
    let window = SampleObject("window")
    var text: String?
    window.decoding = { text = try $0.decode(String.self, forKey: "colors") }
    let delegate = SampleDelegate()
    let report = try RestorableTree(roots: [window], delegate: delegate).restore(
      from: archive,
      with: Resolver { Upgrade(applicationStateFrom: 0, to: 1) { $0.move("colours", toChild: "window", as: "colors") } })
    #expect(text == "dark" && report.node(at: "window")?.outcome == .located)
  }

  @Test("68, 89: a failure appears in the summary, and the state is kept; fields that decode are restored")
  func behaviour68Fails() throws {
    let tree = ArchiveTree(applicationState: ["theme": 7, "font": "sans"])
    let delegate = Delegate()
    let report = try RestorableTree(delegate: delegate).restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    #expect(report.application == .failed && !report.isDegraded)
    #expect(report.summary == "restored 0 of 1; 1 not: the application state; its state is kept")
    #expect(report.description.contains("(application): failed: "))
    #expect(delegate.theme == "light" && delegate.font == "sans")
    let both = ArchiveTree(applicationState: ["theme": 7], nodes: [ArchiveNode("a", state: ["x": 1]), ArchiveNode("b", state: ["x": 1])])
    let second = try RestorableTree(roots: [SampleObject("a")], delegate: delegate).restore(
      from: ArchiveReader(both.encoded()), with: Resolver())
    #expect(second.summary == "restored 1 of 3; 2 not: 1 without a factory, the application state; their state is kept")
  }

  @Test("an archive whose application record is damaged is not reported as restored", arguments: [true, false])
  func reportsDamagedRecord(hasDelegate: Bool) throws {
    let tree = ArchiveTree(applicationState: ["theme": "dark"], nodes: [ArchiveNode("a", state: ["x": 1])])
    let intact = [UInt8](try tree.encoded())
    func damaged(at place: Int) -> [UInt8] {
      var bytes = intact
      bytes[place] ^= 1
      return bytes
    }
    let bytes = try #require(
      intact.indices.lazy.map(damaged).first { bytes in
        guard let reader = try? ArchiveReader(bytes) else { return false }
        return (try? reader.application()) == nil
      })
    let delegate = Delegate()
    let report = try RestorableTree(roots: [SampleObject("a")], delegate: hasDelegate ? delegate : nil).restore(
      from: ArchiveReader(bytes), with: Resolver())
    #expect(report.application == .failed && report.isDegraded)
    #expect(report.summary == "restored 0 of 1; 1 not: the application state")
  }

  @Test("68: an upgrade that throws fails the application state only")
  func behaviour68FailsToUpgrade() throws {
    struct Refusal: Error {}
    let archive = try Self.saved(FirstDelegate(), [SampleObject("a", values: ["x": 1])])
    let a = SampleObject("a")
    let delegate = Delegate()
    let report = try RestorableTree(roots: [a], delegate: delegate).restore(
      from: archive, with: Resolver { Upgrade(applicationStateFrom: 0, to: 2) { _ in throw Refusal() } })
    #expect(report.application == .failed && report.applicationError != nil && a.values == ["x": 1])
    let resolution = ArchiveResolution(of: archive, with: try Resolver { Upgrade(applicationStateFrom: 0, to: 2) { _ in throw Refusal() } })
    #expect(resolution.applicationError != nil && resolution.applicationUpgrade == nil)
    #expect(ArchiveResolution(of: archive, with: try Self.resolver()).applicationUpgrade == 0...2)
  }

  @Test("89: the delegate decides even if an upgrade of its state throws, which the summary counts", arguments: [false, true])
  func behaviour89Decides(_ restores: Bool) throws {
    struct Refusal: Error {}
    let archive = try Self.saved(FirstDelegate(), [SampleObject("a", values: ["x": 1])])
    let log = CallLog()
    let delegate = SampleDelegate(log: log)
    var asked = 0
    delegate.restoring = { _, _ in
      asked += 1
      return restores ? .restore : .notNow
    }
    let a = SampleObject("a")
    let application = RestorableTree(roots: [a], delegate: delegate)
    let report = try application.restore(from: archive, with: Resolver { Upgrade(applicationStateFrom: 0, to: 2) { _ in throw Refusal() } })
    #expect(asked == 1 && report.decision == (restores ? .restore : .notNow))
    #expect(a.values == (restores ? ["x": 1] : [:]))
    if restores { #expect(report.summary == "restored 1 of 2; 1 not: the application state; its state is kept") }
  }

  @Test("68: state that is saved again without a delegate, or after a failed encoding, keeps its version")
  func behaviour68KeepsVersions() throws {
    struct Refusal: Error {}
    func version(_ archive: ArchiveReader) -> ArchiveValue? { archive.header.additional["restoration.applicationSchema"] }
    let archive = try Self.saved(Delegate())
    let application = RestorableTree()
    _ = try application.restore(from: archive, with: Resolver())
    let carried = try application.saved()
    #expect(version(carried) == 2)
    #expect(try carried.application().state().map(\.key) == ["font", "size", "theme"])
    // Upgraded, but not consumed.
    let upgraded = RestorableTree()
    _ = try upgraded.restore(from: Self.saved(FirstDelegate()), with: Self.resolver())
    let later = try upgraded.saved()
    #expect(try version(later) == 2 && later.application().state() == ["theme": "dark"])
    // If encoding fails, the restored state is preserved as it was saved.
    let delegate = SampleDelegate()
    delegate.encoding = { _ in throw Refusal() }
    let failing = RestorableTree(delegate: delegate)
    _ = try failing.restore(from: archive, with: Resolver())
    #expect(try version(failing.saved()) == 2)
    #expect(try version(failing.saved(header: ArchiveHeader(additional: ["restoration.applicationSchema": 9]))) == 2)
    // The version in the given header is not the version of the state that this app saves.
    delegate.encoding = { try $0.encode(1, forKey: "x") }
    #expect(try version(failing.saved(header: archive.header)) == nil)
  }

  @Test("68: keys of a newer build survive saves by an older one, for any number of sessions")
  func behaviour68KeepsUnknownKeys() throws {
    let entries: [ArchiveDictionary.Entry] = [
      .init(key: "theme", value: "dark"), .init(key: "a/b~c", value: 1), .init(key: "token", value: "t", isSensitive: true),
    ]
    let newer = ArchiveTree(
      header: ArchiveHeader(additional: ["restoration.applicationSchema": 5]), applicationState: ArchiveDictionary(entries))
    var archive = try ArchiveReader(newer.encoded())
    for session in 1...3 {
      let delegate = Delegate()
      let application = RestorableTree(delegate: delegate)
      let report = try application.restore(from: archive, with: Self.resolver())
      #expect(report.application == .restored && report.applicationUpgrade == nil)
      delegate.theme = "theme \(session)"
      let preservation = try application.preserve(header: .sample)
      #expect(preservation.report.notes(at: .application).map(\.kind) == [.unknownKeys])
      archive = try ArchiveReader(#require(try preservation.archive))
      let state = try archive.application().state()
      #expect(state.map(\.key) == ["a/b~c", "font", "size", "theme", "token"])
      #expect(state["theme"] == .string("theme \(session)") && state["a/b~c"] == 1 && state["token"] == "t")
      #expect(state.entry(forKey: "token")?.isSensitive == true)
      #expect(
        archive.header.additional == [
          "restoration.applicationSchema": 2, "restoration.applicationKeptSchema": 5, "restoration.applicationKeptKeys": "a~1b~0c/token",
        ])
    }
    // Without a delegate the whole state is preserved; the newer build removes the record of kept keys.
    let none = RestorableTree()
    _ = try none.restore(from: archive, with: Resolver())
    #expect(try none.saved(header: .sample).header == archive.header)
    final class Newer: RestorationDelegate {
      let applicationSchemaVersion = 5
      @Restored("token", isSensitive: true) var token = ""
    }
    let delegate = Newer()
    let application = RestorableTree(delegate: delegate)
    _ = try application.restore(from: archive, with: Resolver { Upgrade(applicationStateFrom: 2, to: 5) { $0.remove("font") } })
    #expect(delegate.token == "t")
    #expect(try application.saved().application().state().map(\.key) == ["token"])
    #expect(try application.saved().header.additional == ["restoration.applicationSchema": 5])
  }

  @Test("a part with an invalid escape is none of the preserved keys (R-3.5-4)")
  func ignoresInvalidEscapes() {
    var header = ArchiveHeader.sample
    header.additional = ["restoration.applicationKeptSchema": 1, "restoration.applicationKeptKeys": "a~1b~0c/~2/d~/token/~~0"]
    #expect(ApplicationSchema(of: header).unknownKeys == ["a/b~c", "token"])
  }

  @Test("68: keys that do not fit the header are reported as lost")
  func behaviour68LosesTooManyKeys() throws {
    let state = ArchiveDictionary((0..<500).map { ArchiveDictionary.Entry(key: "a long key with the number \($0)", value: 1) })
    let tree = ArchiveTree(header: ArchiveHeader(additional: ["restoration.applicationSchema": 5]), applicationState: state)
    let delegate = Delegate()
    let application = RestorableTree(delegate: delegate)
    _ = try application.restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: .application).map(\.kind) == [.lost] && preservation.report.isDegraded)
    #expect(try ArchiveReader(#require(try preservation.archive)).application().state().count == 3)
  }

  @Test("68: an invalid version counts as 0 in a file, and is refused from a delegate")
  func behaviour68RefusesVersions() throws {
    final class Odd: RestorationDelegate {
      let applicationSchemaVersion = -1
      @Restored var x = 1
    }
    for value: ArchiveValue in [-1, "two", .integer(Int(UInt32.max) + 1)] {
      let tree = ArchiveTree(
        header: ArchiveHeader(additional: ["restoration.applicationSchema": value]), applicationState: ["colours": "dark"])
      let delegate = Delegate()
      let report = try RestorableTree(delegate: delegate).restore(from: ArchiveReader(tree.encoded()), with: Self.resolver())
      #expect(report.applicationUpgrade == 0...2 && delegate.theme == "dark")
    }
    let application = RestorableTree(delegate: nil)
    let odd = Odd()
    application.delegate = odd
    try application.startFresh()
    #expect(try application.preserve(header: .sample).report.notes(at: .application).map(\.kind) == [.keptPrevious])
  }

  @Test("68: mistakes in application upgrades are reported with all others")
  func behaviour68FindsMistakes() {
    do {
      _ = try Resolver {
        Upgrade(applicationStateFrom: 2, to: 1, fileID: "App/A.swift", line: 1) { _ in }
        Upgrade(applicationStateFrom: 0, to: 1, fileID: "App/A.swift", line: 2) { _ in }
        Upgrade(applicationStateFrom: 0, to: 3, fileID: "App/A.swift", line: 3) { _ in }
        Upgrade(applicationStateFrom: 2, to: 3, fileID: "App/A.swift", line: 4) { _ in }
      }
      Issue.record("no mistake")
    } catch let error as ResolverError {
      #expect(
        error.mistakes.map(\.message) == [
          "an upgrade leads from a version to a later one, and that of the application state from 2 to 1",
          "the application state has an upgrade from 0 already, at App/A.swift:2",
          "no upgrade leads from version 1 of the application state to 3",
        ])
    } catch {
      Issue.record("\(error)")
    }
  }

  private struct Settings: Codable, Equatable {
    struct Editor: Codable, Equatable {
      var font = "mono"
      var size = 12
    }

    var theme = "light"
    var editor = Editor()
    var shortcuts: [String: String] = [:]
    var recent: [Editor] = []
  }

  private static let older: ArchiveDictionary = ["theme": "dark", "editor": ["size": 20], "shortcuts": ["s": "save"]]

  @Test("68: a whole state in one value gets its new fields from a default")
  func behaviour68Defaults() throws {
    let delegate = SampleDelegate()
    var settings = Settings(shortcuts: ["q": "quit"])
    settings.editor.font = "sans"
    delegate.decoding = { coder in
      #expect(throws: DecodingError.self) { try coder.decodeState(Settings.self) }
      settings = try coder.decodeState(default: settings)
    }
    let tree = ArchiveTree(applicationState: Self.older)
    let report = try RestorableTree(delegate: delegate).restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    #expect(report.application == .restored)
    // A dictionary that is present replaces the default and is not merged with it.
    #expect(settings == Settings(theme: "dark", editor: .init(font: "sans", size: 20), shortcuts: ["s": "save"], recent: []))
  }

  @Test("68: objects with one Codable value have defaults too; a wrong value or a missing field of an array element is an error")
  func behaviour68DefaultsOfObjects() throws {
    final class Pane: CodableRestorable {
      let restorationIdentifier: String? = "pane"
      var restorableState = Settings()
    }
    func restored(_ state: ArchiveDictionary) throws -> (Pane, RestorationReport) {
      let pane = Pane()
      let tree = ArchiveTree(nodes: [ArchiveNode("pane", state: state)])
      return (pane, try RestorableTree(roots: [pane]).restore(from: ArchiveReader(tree.encoded()), with: Resolver()))
    }
    let (pane, report) = try restored(Self.older)
    #expect(report.summary == "restored 1 of 1")
    #expect(pane.restorableState == Settings(theme: "dark", editor: .init(font: "mono", size: 20), shortcuts: ["s": "save"]))
    for state: ArchiveDictionary in [["theme": 7], ["recent": [["size": 1]]], ["editor": 1]] {
      let (pane, report) = try restored(state)
      #expect(report.node(at: "pane")?.outcome == .failed && pane.restorableState == Settings(), "\(state)")
      #expect(report.node(at: "pane")?.error?.contains("pane") == true)
    }
  }

  private final class NewSettings: RestorationDelegate {
    let applicationSchemaVersion = 1
    @Restored var theme = "light"
  }

  @Test("81, 89: application state whose version has no upgrade is kept until the delegate's state changes", arguments: [1, 2, 10])
  func behaviour81Application(_ launches: Int) throws {
    var archive = try ArchiveReader(ArchiveTree(header: .sample, applicationState: ["colors": "dark"]).encoded())
    for _ in 0..<launches {
      let application = RestorableTree(delegate: NewSettings())
      let report = try application.restore(from: archive, with: Resolver())
      #expect(report.summary == "restored 0 of 1; 1 not: the application state; its state is kept" && !report.isDegraded)
      #expect(
        report.why(.application)
          == "restored without an upgrade: saved with schema version 0, and no upgrade leads to version 1; "
          + "add Upgrade(applicationStateFrom: 0, to: 1) { state in … }")
      archive = try application.saved()
    }
    let settings = NewSettings()
    let application = RestorableTree(delegate: settings)
    let resolver = try Resolver { Upgrade(applicationStateFrom: 0, to: 1) { $0.rename("colors", to: "theme") } }
    #expect(try application.restore(from: archive, with: resolver).application == .restored && settings.theme == "dark")
    let bad = NewSettings()
    let other = RestorableTree(delegate: bad)
    _ = try other.restore(from: archive, with: Resolver())
    bad.theme = "blue"
    #expect(try other.preserve(header: .sample).report.notes(at: .application).map(\.kind) == [.superseded])
  }
}
