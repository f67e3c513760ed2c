public import FoundationValues
import StateRestoration
public import Terminal

/// The launch options of the app.
public struct NotesOptions: Sendable {
  /// The folder of the notes and the state.
  public var folder: URL
  /// Whether the calendar plug-in is installed.
  public var hasCalendar = true
  /// The running build number, to demonstrate updates and downgrades.
  public var build = "1"
  /// Whether everything is offered instead of restored.
  public var isSafeMode = false

  /// Creates options for a folder; nil selects the user's default folder.
  public init(folder: String?) {
    self.folder = URL(fileURLWithPath: folder ?? AppConfiguration.defaultFolder(for: "restoration-notes"))
  }
}

/// The app with its restoration.
@MainActor
public final class NotesProgram {
  let app: NotesApp
  let restoration: AppRestoration
  let launch: AppLaunch
  private var showsKeys = false
  /// Why the last key had no effect, in one line; nil if it had one.
  private(set) var refusal: String?
  /// The open offers as they were read last; nil if they may be others now.
  private var offers: [StoreOffer]?

  /// Launches the app and restores its previous state before it returns.
  ///
  /// - Parameters:
  ///   - options: The launch options.
  ///   - willEnd: Called when a signal is about to end or stop the process.
  /// - Throws: `StoreError` if another process holds the notes; a file system error.
  public init(_ options: NotesOptions, willEnd: @escaping @Sendable () -> Void = {}) throws {
    let library = try NoteLibrary(folder: options.folder.appendingPathComponent("notes"))
    let app = NotesApp(library, hasCalendar: options.hasCalendar)
    var configuration = AppConfiguration(bundleIdentifier: "restoration-notes", bundleVersion: options.build)
    configuration.folder = options.folder.appendingPathComponent("state").path
    configuration.isSafeMode = options.isSafeMode
    configuration.userInterfaceIdiom = .terminal
    configuration.willEndBySignal = willEnd
    // Guide: glue begins.
    restoration = try AppRestoration(configuration, roots: { app.windows }, delegate: app) {
      Factory(NotesWindow.self) { node in app.makeWindow(node.identifier) }
      Factory(
        Editor.self,
        deciding: { node in
          // A note that was deleted meanwhile is gone for good, and its draft with it.
          library.hasLost(node.identifier) ? .gone : .object(Editor(node.identifier, in: library))
        })
      if options.hasCalendar { Factory(Calendar.self) { _ in Calendar() } }
      Upgrade(Editor.self, from: 1, to: 2) { state in state.rename("offset", to: "scroll") }
    }
    launch = try restoration.launch()
    // Guide: glue ends.
    self.app = app
    restoration.onPreserve = { [weak self] _, _ in self?.offers = nil }
    // The process was killed while one of these windows was closed or reopened.
    for scene in try restoration.scenesLeftOpen() { try? takeBack { try restoration.openScene(scene, roots: $0) } }
    if app.windows.isEmpty { openWindow("main", isNew: true) }
  }

  /// Opens a window, or brings the one with this name to the front unless a new one is asked for.
  ///
  /// A window that is new has a name that no other has, not even a closed one: it could not be reopened beside it.
  func openWindow(_ name: String, isNew: Bool = false) {
    var taken = Set(((try? restoration.recentlyClosedScenes()) ?? []).flatMap(\.roots))
    for window in app.windows { if isNew { taken.insert(window.name) } else { taken.remove(window.name) } }
    var (free, number) = (name, 1)
    while taken.contains(free) { (free, number) = ("\(name) \(number + 1)", number + 1) }
    app.openWindow(free)
  }

  /// A line with the restored state, the reason for it, and the first open offer with the commands that answer it.
  func status(accept: String = "accept", decline: String = "decline") -> String {
    let outcome = "\(launch.reason.rawValue): \(launch.summary)"
    offers = offers ?? (try? restoration.offers())
    guard let offers, let first = offers.first else { return outcome }
    let others = offers.count == 1 ? "" : ", the first of \(offers.count)"
    return "\(outcome); offered (\(accept) accepts it, \(decline) declines it\(others)): \(first)"
  }

  func answerOffer(accepts: Bool) throws {
    guard let offer = try restoration.offers().first else { throw NotesError("nothing is offered") }
    defer { offers = nil }
    // The user works with what was restored.
    restoration.markStable()
    if accepts { try restoration.restore(offer, without: Set(offer.suspects)) } else { try restoration.decline(offer) }
  }

  /// Restores the session of the last launch that ended in another state than the present one.
  func restorePreviousSession() throws {
    guard let session = try restoration.earlierSessions().first else { throw NotesError("there is no earlier session") }
    restoration.markStable()
    try restoration.restore(session)
  }

  /// Closes the front window, which can be reopened: it moves from the app to a scene of its own, and that is closed.
  func closeWindow() throws {
    guard let window = app.window else { throw NotesError("no window is open") }
    let others = app.windows
    let scene = try restoration.openScene(UUID().uuidString) { [window] }
    app.windows.removeAll { $0 === window }
    do {
      _ = try scene.closeRecoverably()
    } catch {
      app.windows = others
      scene.close()
      throw error
    }
    app.frontWindow = app.windows.first?.name ?? ""
    if app.windows.isEmpty { openWindow("main", isNew: true) }
  }

  /// Opens the window again that was closed last, of those whose name no open one has.
  func reopenWindow() throws {
    let scenes = try restoration.recentlyClosedScenes()
    guard let last = scenes.first else { throw NotesError("no window was closed") }
    let names = Set(app.windows.map(\.name))
    guard let closed = scenes.first(where: { names.isDisjoint(with: $0.roots) }) else {
      throw NotesError("\(last.roots.joined(separator: ", ")) is open")
    }
    try takeBack { try restoration.reopenScene(closed, roots: $0) }
  }

  /// Opens a scene and moves its window to the app, which is saved in one step.
  private func takeBack(_ open: (@escaping () -> [any Restorable]) throws -> AppScene) throws {
    let others = app.windows.count
    var opened: [NotesWindow]?
    let scene = try open { [app] in opened ?? Array(app.windows.dropFirst(others)) }
    app.frontWindow = app.windows.last?.name ?? ""
    if let report = scene.launch?.report, report.decision == .restore, !report.isDegraded,
      !report.nodes.contains(where: { $0.isCarriedOver || $0.isKept })
    {
      return scene.close()
    }
    // What could not be restored now, such as the state of a plug-in that is missing, stays in the closed scene.
    (opened, app.windows) = (Array(app.windows.dropFirst(others)), Array(app.windows.prefix(others)))
    _ = try scene.closeRecoverably()
    throw NotesError("the window could not be restored as a whole, and stays closed")
  }

  // MARK: Full screen

  /// Runs on a terminal until the user quits.
  ///
  /// State is saved automatically.
  public func run(on terminal: Terminal) async {
    let screen = FullScreen(on: terminal) { [self] columns, rows in
      NotesScreen.grid(
        app, status: refusal ?? status(accept: "^A", decline: "^D"), columns: columns, rows: rows, showsKeys: showsKeys)
    }
    restoration.onResume = { screen.enter() }
    await screen.run { key in
      if key != .control("q") { handle(key) }
      return key != .control("q")
    }
    await restoration.end()
  }

  /// Handles a key: text is inserted into the front pane, control keys are commands.
  func handle(_ key: Key) {
    refusal = nil
    if showsKeys { return showsKeys = false }
    do { try carryOut(key) } catch { refusal = "\(error)".replacing("\n", with: " ").escapedForDisplay }
  }

  private func carryOut(_ key: Key) throws {
    switch key {
    case .control("g"): showsKeys = true
    case .character("?") where app.editor == nil: showsKeys = true
    case .character(let character): try app.editor?.type(String(character))
    case .paste(let text): try app.editor?.type(text)
    case .enter: try app.editor?.type("\n")
    case .backspace: try app.editor?.deleteBackward()
    case .left: app.editor?.move(-1)
    case .right: app.editor?.move(1)
    case .up: app.editor?.move(0, lines: -1)
    case .down: app.editor?.move(0, lines: 1)
    case .pageUp: app.editor.map { $0.scroll = max($0.scroll - 5, 0) }
    case .pageDown: app.editor.map { $0.scroll += 5 }
    case .tab: app.window.map { $0.list.selected = next(after: $0.list.selected, in: app.library.names) }
    case .control("o"): try app.open(app.window?.list.selected ?? "", inNewPane: false)
    case .control("p"): try app.open(app.window?.list.selected ?? "", inNewPane: true)
    case .control("w"): try app.closePane()
    case .control("n"): openWindow("window", isNew: true)
    case .control("k"): try closeWindow()
    case .control("u"): try reopenWindow()
    case .control("f"): app.frontWindow = next(after: app.window?.name ?? "", in: app.windows.map(\.name))
    case .control("t"): app.theme = next(after: app.theme, in: NotesApp.themes)
    case .control("s"): try app.editor?.keepDraft()
    case .control("x"): app.editor?.draft = nil
    case .control("a"): try answerOffer(accepts: true)
    case .control("d"): try answerOffer(accepts: false)
    case .control("r"): try restorePreviousSession()
    default: break
    }
  }

  /// Returns the name after another one, or the first.
  private func next(after name: String, in names: [String]) -> String {
    names.isEmpty ? "" : names[((names.firstIndex(of: name) ?? -1) + 1) % names.count]
  }
}
