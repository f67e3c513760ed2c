import Foundation
import StateRestoration
import Testing

final class Document: Restorable {
  static let restorationType = "Document"
  let restorationIdentifier: String?
  @Restored var line = 0

  init(_ identifier: String = "document") {
    restorationIdentifier = identifier
  }
}

struct Settings: Codable, Equatable {
  var isDark = false
}

final class SettingsPane: CodableRestorable {
  let restorationIdentifier: String? = "settings"
  var restorableState = Settings()
}

final class Window: Restorable {
  static let restorationType = "Window", restorationSchemaVersion = 2
  let restorationIdentifier: String? = "window"
  let document = Document()
  let settings = SettingsPane()
  var front: Document?
  var tabs: [Document] = []
  var restorationChildren: [any Restorable] { [document, settings] + tabs.map { $0 as any Restorable } }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(reference: front, forKey: "front")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    front = try coder.decodeReference(forKey: "front")
    tabs = try coder.restoredChildren(of: Document.self).filter { $0 !== document }
  }
}

final class Delegate: RestorationDelegate {
  var theme = "light"

  func willEncodeRestorableState(with coder: StateEncoder) throws { try coder.encode(theme, forKey: "theme") }
  func didDecodeRestorableState(with coder: StateDecoder) throws {
    theme = try coder.decode(String.self, forKey: "theme", default: theme)
  }
}

/// Conformances need no annotation in a module whose default isolation is the main actor.
@Suite struct MainActorDefaultTests {
  private func saved() throws -> ArchiveReader {
    let window = Window()
    window.document.line = 7
    window.tabs = [Document("tab")]
    window.tabs[0].line = 9
    window.front = window.tabs[0]
    window.settings.restorableState.isDark = true
    let delegate = Delegate()
    delegate.theme = "dark"
    let application = RestorableTree(roots: [window], delegate: delegate)
    try application.startFresh()
    return try ArchiveReader(#require(try application.preserve(header: ArchiveHeader()).archive))
  }

  private func resolver(_ application: RestorableTree) throws -> Resolver {
    try Resolver {
      Factory(type: "Window") { _ in
        let window = Window()
        application.roots = [window]
        return window
      }
      Factory(type: "Document") { node in Document(node.identifier) }
    }
  }

  private func check(_ application: RestorableTree, _ report: RestorationReport, _ delegate: Delegate) throws {
    #expect(report.summary == "restored 4 of 4")
    let window = try #require(application.roots.first as? Window)
    #expect(window.document.line == 7 && window.tabs.map(\.line) == [9] && window.front === window.tabs.first)
    #expect(window.settings.restorableState == Settings(isDark: true))
    #expect(delegate.theme == "dark")
  }

  @Test("saved state is restored")
  func restores() throws {
    let delegate = Delegate()
    let application = RestorableTree(delegate: delegate)
    try check(application, application.restore(from: saved(), with: resolver(application)), delegate)
  }

  @Test("state that another thread reads is restored")
  func restoresAsynchronously() async throws {
    let archive = try saved()
    let delegate = Delegate()
    let application = RestorableTree(delegate: delegate)
    let report = try await application.restore(with: try resolver(application)) {
      await Task.detached { archive }.value
    }
    try check(application, #require(report), delegate)
  }
}

class Tool: MainActorRestorableObject {
  override class var restorationType: String { "Tool" }
  @Restored var isOn = false
}

final class Brush: Tool {
  override class var restorationType: String { "Brush" }
  @Restored var width = 1
}

/// Behaviours 73, with the main actor as the default isolation.
@Suite struct MainActorInheritanceTests {
  @Test("73: overrides in a subclass take effect")
  func behaviour73Overrides() throws {
    let brush = Brush(restorationIdentifier: "brush")
    brush.isOn = true
    brush.width = 3
    let application = RestorableTree(roots: [brush, Tool(restorationIdentifier: "tool")])
    try application.startFresh()
    let archive = try ArchiveReader(#require(try application.preserve(header: ArchiveHeader()).archive))
    #expect(try archive.node(at: "brush")?.type == "Brush" && archive.node(at: "tool")?.type == "Tool")
    let next = Brush(restorationIdentifier: "brush")
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.isOn && next.width == 3)
  }
}
