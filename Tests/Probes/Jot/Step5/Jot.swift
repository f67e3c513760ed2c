import StateRestoration

@MainActor final class Tab: @MainActor Restorable {
  static let restorationType = "Tab", restorationSchemaVersion = 2
  let restorationIdentifier: String?
  @Restored var lines: [String] = []

  init(_ name: String) { restorationIdentifier = name }
}

@MainActor final class Window: @MainActor Restorable {
  static let restorationType = "Window", restorationSchemaVersion = 1
  let restorationIdentifier: String? = "window"
  @Restored var title = "untitled"
  @RestoredChildren var tabs: [Tab] = []
  @Restored var front: String?

  var restorationChildren: [any Restorable] { tabs }
  var tab: Tab? { tabs.first { $0.restorationIdentifier == front } ?? tabs.last }
  var line: String { "\(title) > \(tab?.restorationIdentifier ?? "no tab") [\(tab?.lines.joined(separator: ", ") ?? "")]" }

  func decodeRestorableState(with coder: StateDecoder) throws {
    tabs = try coder.restoredChildren()  // children first, then values
    try decodeRestoredProperties(with: coder)
  }

  func show(_ name: String, in tree: RestorableTree) {
    front = name
    guard !tabs.contains(where: { $0.restorationIdentifier == name }) else { return }
    let tab = Tab(name)
    tabs.append(tab)
    tree.restoreState(of: tab)
  }

  func hide(in tree: RestorableTree) throws {
    guard let tab else { return }
    try tree.setAside(tab)
    tabs.removeAll { $0 === tab }
  }
}

@MainActor final class App {
  let main = Window()
  var scenes: [(scene: AppScene, window: Window)] = []
  let restoration: AppRestoration
  var window: Window { scenes.last?.window ?? main }
  var tree: RestorableTree { scenes.last?.scene.tree ?? restoration.tree }

  init(_ configuration: AppConfiguration) throws {
    restoration = try AppRestoration(configuration, roots: { [main] in [main] }) {
      Factory(Tab.self) { node in Tab(node.identifier) }  // for the tabs of scenes too
      Upgrade(Tab.self, from: 1, to: 2) { state in
        guard case .string(let text) = state["text"] else { return }
        state.remove("text")
        state.set("lines", to: [.string(text)])
      }
    }
  }

  func launch() throws -> AppLaunch {
    let launch = try restoration.launch()
    for name in try restoration.scenesLeftOpen() { try open(name) }
    return launch
  }

  func open(_ name: String) throws {
    guard !scenes.contains(where: { $0.scene.identifier == name }) else { return }
    let window = Window()
    window.title = name
    scenes.append((try restoration.openScene(name) { [window] }, window))
  }

  func reopen() throws {
    guard let closed = try restoration.recentlyClosedScenes().first else { return }
    let window = Window()
    scenes.append((try restoration.reopenScene(closed) { [window] }, window))
  }

  func perform(_ line: String) throws -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first {
    case "window": try open(words.last ?? "")
    case "done":
      _ = try scenes.last?.scene.closeRecoverably()
      _ = scenes.popLast()
    case "reopen": try reopen()
    case "tab": window.show(words.last ?? "", in: tree)
    case "hide": try window.hide(in: tree)
    case "title": window.title = words.last ?? ""
    case "close":
      let tab = window.tab
      window.tabs.removeAll { $0 === tab }
    default:
      if window.tab == nil { window.show("notes", in: tree) }
      window.tab?.lines.append(line)
    }
    return window.line
  }
}

@main @MainActor struct Jot {
  static func main() throws {
    let app = try App(AppConfiguration(bundleIdentifier: "org.example.jot", bundleVersion: "5"))
    print(try app.launch())
    while true {
      app.restoration.turn()
      guard let line = readLine() else { break }
      print(try app.perform(line))
    }
    try app.restoration.endNow()
  }
}
