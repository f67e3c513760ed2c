import StateRestoration

@MainActor final class Counter: @MainActor Restorable {
  let restorationIdentifier: String? = "counter"
  @Restored var count = 0
}

@main @MainActor struct CounterApp {
  static func main() throws {
    let counter = Counter()
    let restoration = try AppRestoration("org.example.counter", roots: { [counter] })
    try restoration.launch()
    print("\(counter.count); return counts, Ctrl-D quits")
    while readLine() != nil {
      counter.count += 1
      restoration.turn()  // saved half a second later, however the process ends
      print(counter.count)
    }
    try restoration.endNow()
  }
}
