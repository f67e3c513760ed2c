import StateRestoration

/// An app of several windows that moves tabs between them, and closes and opens windows, until it is killed.
///
///     launch 7 a:7:t0,t3 b:7:t1       the step of the app, and each saved window with its step and its tabs
///     saved 8                         the step on the disk
///     closed 9 a                      the same, after a window was closed; a later one may have its name
@MainActor
enum TabsProbe {
  final class Tab: Restorable {
    static let restorationType = "Tab"
    let restorationIdentifier: String?
    /// Makes a link shorter than an archive.
    @Restored var text = String(repeating: "text ", count: 400)

    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  final class Window: Restorable {
    static let restorationType = "Window"
    let restorationIdentifier: String? = "window"
    @Restored var step = 0
    @RestoredChildren var tabs: [Tab] = []
    var restorationChildren: [any Restorable] { tabs }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try decodeRestoredProperties(with: coder)
      tabs = try coder.restoredChildren(of: Tab.self)
    }
  }

  private final class App {
    let main: Window
    let restoration: AppRestoration
    var windows: [(scene: AppScene, window: Window)] = []

    init(_ folder: String) throws {
      var configuration = AppConfiguration(bundleIdentifier: "org.example.tabs", bundleVersion: "1", folder: folder)
      configuration.limits.links = 8
      configuration.reportProblem = { StoreProbe.say("problem \($0)") }
      let main = Window()
      self.main = main
      restoration = try AppRestoration(configuration, roots: { [main] }) { Factory(type: "Tab") { Tab($0.identifier) } }
    }

    func open(_ name: String) throws {
      let window = Window()
      windows.append((try restoration.openScene(name) { [window] }, window))
    }

    /// Opens a window under one of the few names that are free.
    func openAnother() throws {
      let names = ["a", "b", "c", "d"].filter { name in !windows.contains { $0.scene.identifier == name } }
      try open(names.randomElement() ?? "e")
    }

    var text: String {
      let windows = windows.map { scene, window in
        "\(scene.identifier):\(window.step):\(window.tabs.compactMap(\.restorationIdentifier).joined(separator: ","))"
      }
      return (["\(main.step)"] + windows).joined(separator: " ")
    }
  }

  static func run(_ folder: String) throws {
    let app = try App(folder)
    try app.restoration.launch()
    for name in try app.restoration.savedScenes().sorted() { try app.open(name) }
    app.restoration.turn()
    StoreProbe.say("launch \(app.text)")
    let isNew = app.windows.isEmpty
    while app.windows.count < 3 { try app.openAnother() }
    if isNew { app.windows[0].window.tabs = (0..<8).map { Tab("t\($0)") } }
    for step in (app.main.step + 1)... {
      app.main.step = step
      for (_, window) in app.windows { window.step = step }
      let indices = app.windows.indices.shuffled()
      let (source, target) = (app.windows[indices[0]].window, app.windows[indices[1]].window)
      if step % 4 == 0 {
        target.tabs += source.tabs
        source.tabs = []
        let closed = app.windows.remove(at: indices[0]).scene
        closed.close()
        StoreProbe.say("closed \(step) \(closed.identifier)")
        try app.openAnother()
      } else {
        if !source.tabs.isEmpty { target.tabs.append(source.tabs.removeLast()) }
        try app.restoration.saveNow()
        StoreProbe.say("saved \(step)")
      }
    }
  }
}
