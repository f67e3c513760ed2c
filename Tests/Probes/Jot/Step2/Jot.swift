import StateRestoration

@MainActor final class Tab: @MainActor Restorable {
  static let restorationType = "Tab", restorationSchemaVersion = 1
  let restorationIdentifier: String?
  @Restored var text = ""

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
  var line: String { "\(title) > \(tab?.restorationIdentifier ?? "no tab") [\(tab?.text ?? "")]" }

  func decodeRestorableState(with coder: StateDecoder) throws {
    tabs = try coder.restoredChildren()  // children first, then values
    try decodeRestoredProperties(with: coder)
  }

  func show(_ name: String) {
    if !tabs.contains(where: { $0.restorationIdentifier == name }) { tabs.append(Tab(name)) }
    front = name
  }
}

@MainActor final class App {
  let window = Window()
  let restoration: AppRestoration

  init(_ configuration: AppConfiguration) throws {
    restoration = try AppRestoration(configuration, roots: { [window] in [window] }) {
      Factory(Tab.self) { node in Tab(node.identifier) }
    }
  }

  func perform(_ line: String) throws -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first {
    case "tab": window.show(words.last ?? "")
    case "title": window.title = words.last ?? ""
    case "close":
      let tab = window.tab
      window.tabs.removeAll { $0 === tab }
    default:
      if window.tab == nil { window.show("notes") }
      window.tab?.text += line + " "
    }
    return window.line
  }
}

@main @MainActor struct Jot {
  static func main() throws {
    let app = try App(AppConfiguration(bundleIdentifier: "org.example.jot", bundleVersion: "2"))
    print(try app.restoration.launch())
    while true {
      app.restoration.turn()
      guard let line = readLine() else { break }
      print(try app.perform(line))
    }
    try app.restoration.endNow()
  }
}
