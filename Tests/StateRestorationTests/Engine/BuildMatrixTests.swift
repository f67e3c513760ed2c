import EngineKit
import Foundation
import StateRestoration
import Testing

/// Archives of one build of an app are read by the next three builds and by the previous one, and nothing is lost that
/// could be kept.
///
/// | build | shell | panes | a document's place | theme | other |
/// |---|---|---|---|---|---|
/// | N-1 | root Shell 1 | panes/1, /2, no type | offset | in the shell | |
/// | N | root Shell 1 | panes/1, /2 Pane 1 | offset | in the shell | welcome |
/// | N+1 | root Shell 1 | editors/1, /2 Pane 1 | offset | in the shell | welcome is gone |
/// | N+2 | root Shell 1 | editors/1, /2 Editor 2 | scrollOffset | in the shell | |
/// | N+3 | root Shell 2 | editors/1, /2 Editor 3 | scrollOffset | in root/appearance | |
@Suite struct BuildMatrixTests {
  /// A build of the app.
  enum Build: Int, CaseIterable, CustomStringConvertible {
    case before = -1, base = 0, next, second, third

    var description: String { "N\(rawValue < 0 ? "" : "+")\(rawValue)" }
    var container: String { self < .next ? "panes" : "editors" }
    var offsetKey: String { self < .second ? "offset" : "scrollOffset" }
    var hasWelcome: Bool { self == .base }
    var hasAppearance: Bool { self == .third }

    static func < (left: Build, right: Build) -> Bool { left.rawValue < right.rawValue }
  }

  private class Item: Restorable {
    class var restorationType: String { "" }
    class var restorationSchemaVersion: Int { 0 }
    let build: Build
    let restorationIdentifier: String?
    var children: [Item] = []
    var restorationChildren: [any Restorable] { children }
    var offset = 0
    var theme = "light"

    required init(_ identifier: String, _ build: Build) {
      restorationIdentifier = identifier
      self.build = build
    }

    var keepsTheme: Bool { restorationIdentifier == (build.hasAppearance ? "appearance" : "root") }
    var keepsOffset: Bool { ["1", "2"].contains(restorationIdentifier ?? "") }

    func encodeRestorableState(with coder: StateEncoder) throws {
      if keepsTheme { try coder.encode(theme, forKey: "theme") }
      if keepsOffset { try coder.encode(offset, forKey: build.offsetKey) }
      if restorationIdentifier == "welcome" { try coder.encode(3, forKey: "page") }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      if keepsTheme { theme = try coder.decode(String.self, forKey: "theme", default: theme) }
      if keepsOffset { offset = try coder.decode(Int.self, forKey: build.offsetKey, default: offset) }
    }
  }

  private final class Shell1: Item {
    override class var restorationType: String { "Shell" }
    override class var restorationSchemaVersion: Int { 1 }
  }

  private final class Shell2: Item {
    override class var restorationType: String { "Shell" }
    override class var restorationSchemaVersion: Int { 2 }
  }

  private final class Pane1: Item {
    override class var restorationType: String { "Pane" }
    override class var restorationSchemaVersion: Int { 1 }
  }

  private final class Editor2: Item {
    override class var restorationType: String { "Editor" }
    override class var restorationSchemaVersion: Int { 2 }
  }

  private final class Editor3: Item {
    override class var restorationType: String { "Editor" }
    override class var restorationSchemaVersion: Int { 3 }
  }

  private static func paneType(_ build: Build) -> Item.Type {
    switch build {
    case .before: Item.self
    case .base, .next: Pane1.self
    case .second: Editor2.self
    case .third: Editor3.self
    }
  }

  /// The objects of a build; all except the panes exist at launch.
  private static func shell(_ build: Build) -> Item {
    let root: Item = build.hasAppearance ? Shell2("root", build) : Shell1("root", build)
    root.children = [Item(build.container, build)]
    if build.hasAppearance { root.children.append(Item("appearance", build)) }
    if build.hasWelcome { root.children.append(Item("welcome", build)) }
    return root
  }

  private static func resolver(_ build: Build, _ root: Item) throws -> Resolver {
    let container = root.children[0]
    return try Resolver {
      Factory(path: "root/\(build.container)/*") { node in
        let pane = paneType(build).init(node.identifier, build)
        container.children.append(pane)
        return pane
      }
      if .base < build {
        Alias("root/panes", to: "root/editors")
        Tombstone("root/welcome")
      }
      if .next < build {
        Alias(type: "Pane", to: "Editor")
        Upgrade(type: "Editor", from: 1, to: 2) { $0.rename("offset", to: "scrollOffset") }
      }
      if build == .third {
        Upgrade(type: "Editor", from: 2, to: 3) { _ in }
        Upgrade(type: "Shell", from: 1, to: 2) { $0.move("theme", toChild: "appearance") }
      }
    }
  }

  private static func restore(_ build: Build, _ archive: ArchiveReader) throws -> (RestorableTree, Item, RestorationReport) {
    let root = shell(build)
    let application = RestorableTree(roots: [root])
    let report = try application.restore(from: archive, with: resolver(build, root))
    return (application, root, report)
  }

  /// An archive that build N writes.
  private static func archive() throws -> ArchiveReader {
    let root = shell(.base)
    root.theme = "dark"
    root.children[0].children = ["1", "2"].map { paneType(.base).init($0, .base) }
    root.children[0].children[0].offset = 11
    root.children[0].children[1].offset = 22
    return try RestorableTree.saved([root])
  }

  @Test("archives of N are read by N+1 to N+3", arguments: [Build.base, .next, .second, .third])
  func readsForward(_ build: Build) throws {
    let (_, root, report) = try Self.restore(build, Self.archive())
    #expect(root.children[0].children.map(\.offset) == [11, 22])
    #expect(report.nodes.allSatisfy { $0.outcome.isSuccess || $0.outcome == .skipped(.tombstone) })
    #expect(!report.isDegraded)
    #expect((build.hasAppearance ? root.children[1] : root).theme == "dark")
  }

  @Test("archives survive a chain of builds, each saving the state that it restored")
  func readsStepByStep() throws {
    var archive = try Self.archive()
    for build in [Build.next, .second, .third] {
      let (application, root, report) = try Self.restore(build, archive)
      #expect(root.children[0].children.map(\.offset) == [11, 22], "\(build)")
      #expect(!report.isDegraded)
      archive = try application.saved()
    }
    let paths = try archive.paths()
    #expect(paths == ["root", "root/editors", "root/editors/1", "root/editors/2", "root/appearance"])
    #expect(try archive.state("root/appearance") == ["theme": "dark"])
  }

  @Test("archives of N are read by N-1, and N finds the parts that N-1 cannot read")
  func readsBackward() throws {
    let (application, root, report) = try Self.restore(.before, Self.archive())
    #expect(root.theme == "dark")
    // The panes now have a type, which N-1 does not know: the objects are bound, but not decoded.
    #expect(report.node(at: "root/panes/1")?.outcome == .notDecoded(.otherType))
    #expect(!report.isDegraded && report.node(at: "root/panes/1")?.isKept == true)
    let saved = try application.saved()
    #expect(try saved.state("root/welcome") == ["page": 3])
    #expect(try saved.node(at: "root/welcome")?.origin?.sessionsCarried == 1)
    let (_, again, _) = try Self.restore(.base, saved)
    #expect(again.theme == "dark")
  }

  @Test("a downgrade keeps the newer build's state: renamed containers are carried over, and win in the newer build")
  func survivesDowngrade() throws {
    let (newer, root, _) = try Self.restore(.third, Self.archive())
    root.children[0].children[0].offset = 33
    let (older, olderRoot, report) = try Self.restore(.base, newer.saved())
    #expect(olderRoot.children[0].children.isEmpty)
    #expect(report.node(at: "root/editors")?.outcome == .skipped(.noFactory))
    #expect(report.node(at: "root/editors/1")?.isCarriedOver == true)
    let (_, back, _) = try Self.restore(.third, older.saved())
    #expect(back.children[0].children.map(\.offset) == [33, 22])
  }

  @Test("a node whose type changed is bound, not decoded, and nothing else is affected")
  func survivesRetyping() throws {
    let root = Self.shell(.second)
    let application = RestorableTree(roots: [root])
    let report = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Alias("root/panes", to: "root/editors")
        Tombstone("root/welcome")
        Factory(path: "root/editors/1") { _ in Item("1", .second) }
        Factory(path: "root/editors/2") { _ in Pane1("2", .base) }
      })
    #expect(report.node(at: "root/editors/1")?.outcome == .notDecoded(.otherType))
    #expect(report.node(at: "root/editors/2")?.outcome == .notAdopted)
    #expect(root.theme == "dark")
  }
}
