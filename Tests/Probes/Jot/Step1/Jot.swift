import StateRestoration

@MainActor final class Window: @MainActor Restorable {
  static let restorationType = "Window", restorationSchemaVersion = 1
  let restorationIdentifier: String? = "window"
  @Restored var title = "untitled"
}

@main @MainActor struct Jot {
  static func main() throws {
    let window = Window()
    let restoration = try AppRestoration("org.example.jot", version: "1", roots: { [window] })
    try restoration.launch()
    while true {
      print(window.title)
      restoration.turn()  // before each wait
      guard let line = readLine() else { break }
      window.title = line
    }
    try restoration.endNow()
  }
}
