import StateRestoration

@MainActor final class Counter: @MainActor Restorable {
  let restorationIdentifier: String? = "counter"
  @Restored var count = 0
}

@main @MainActor struct CounterApp {
  static func main() throws {
    let counter = Counter()
    let restoration = try AppRestoration("org.example.counter", version: "1", roots: { [counter] })
    try restoration.launch()
    print("Press Return to count, Ctrl-D to quit.")
    while true {
      print(counter.count)
      restoration.turn()  // before each wait: changes are on disk half a second later
      guard readLine() != nil else { break }
      counter.count += 1
    }
    do { try restoration.endNow() } catch { print("not saved: \(error)") }
  }
}
