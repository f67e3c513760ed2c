import StateRestoration

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An app that dies at any moment of its callbacks, and writes down by itself which one was running.
///
///     store-probe blame FOLDER MARK save           saves the app and a scene
///     store-probe blame FOLDER MARK wait           restores both, prints the number of each callback, and waits to be killed
///     store-probe blame FOLDER MARK kill NUMBER    the same, and kills itself in the callback with that number
///     store-probe blame FOLDER MARK abort NUMBER   the same, by `abort`
///
/// The first line of the file MARK has the archive, the phase and the path of the running callback, after their length; the
/// length is 0 while none is running. A kill can cut the write of a line that is longer than a page.
enum BlameProbe {
  final class Item: Restorable {
    static let restorationType = "Item"
    let restorationIdentifier: String?
    let path: RestorationPath
    var items: [Item] = []
    var restorationChildren: [any Restorable] { items }

    init(_ path: RestorationPath, items: [Item] = []) {
      restorationIdentifier = path.identifier
      self.path = path
      self.items = items
    }

    func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(path.count, forKey: "depth") }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try BlameProbe.call("decoding", path) {
        items = try coder.restoredChildren(of: Item.self)
        if path == "root/opener" { try BlameProbe.openScene() }
      }
    }

    func applicationFinishedRestoringState(_ state: RestoredState) {
      BlameProbe.call("finishing", path) {}
    }
  }

  /// The running callbacks: a scene is opened within a callback of the app.
  nonisolated(unsafe) private static var running: [String] = []
  nonisolated(unsafe) private static var archive = "app"
  nonisolated(unsafe) private static var mark: Int32 = -1
  nonisolated(unsafe) private static var store: RestorationStore?
  /// The scene's app, which must live as long as the process.
  nonisolated(unsafe) private static var scene = RestorableApplication()
  /// The number of callbacks so far, the one to die in, and how.
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var deadly = -1
  nonisolated(unsafe) private static var aborts = false

  static func run(_ folder: String, _ arguments: [String]) throws {
    let store = try RestorationStore(folder: folder, launch: LaunchOptions(bundleVersion: "1", recordsFatalSignals: true))
    unsafe self.store = store
    guard arguments[1] != "save" else { return try save(store) }
    unsafe mark = open(arguments[0], O_CREAT | O_RDWR, 0o600)
    unsafe aborts = arguments[1] == "abort"
    unsafe deadly = arguments.count > 2 && arguments[1] != "wait" ? Int(arguments[2]) ?? -1 : -1
    write("")
    StoreProbe.say("ready")
    let application = RestorableApplication()
    _ = try store.restore(application, with: resolver(for: application))
    // A node whose object comes later.
    let late = Item("root/late")
    application.register(late, at: "root/late")
    StoreProbe.say("restored")
    while true { sleep(1000) }
  }

  private static func save(_ store: RestorationStore) throws {
    for (archive, root) in [(ArchiveName.application, tree("root")), (sceneName, tree("window"))] {
      let application = RestorableApplication(roots: [root])
      try application.startFresh()
      try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1")), as: archive)
    }
    store.endLaunch()
  }

  private static var sceneName: ArchiveName { .scene("scene") ?? .application }

  /// A tree of some forty nodes: branches, long and unusual identifiers, and a path that is longer than a page.
  private static func tree(_ name: String) -> Item {
    let root = RestorationPath.application.appending(name)
    let branches = (0..<6).map { branch in
      let path = root.appending("branch \(branch)/é")
      return Item(path, items: (0..<5).map { Item(path.appending("leaf \($0)")) })
    }
    var deep = root
    for _ in 0..<6 { deep = deep.appending(String(repeating: "long~", count: 200)) }
    var chain = Item(deep)
    while let parent = chain.path.parent, parent != root { chain = Item(parent, items: [chain]) }
    return Item(root, items: [Item(root.appending("opener")), Item(root.appending("late"))] + branches + [chain])
  }

  private static func openScene() throws {
    let before = unsafe archive
    unsafe archive = "scene"
    // Between the scene's callbacks, the last or the next of them is blamed and not this one.
    unsafe running.append("")
    write("")
    defer {
      unsafe archive = before
      unsafe running.removeLast()
      write(unsafe running.last ?? "")
    }
    let application = unsafe scene
    _ = try unsafe store?.restore(application, as: sceneName, with: resolver(for: application))
  }

  private static func resolver(for application: RestorableApplication) throws -> Resolver {
    try Resolver {
      Factory(
        Item.self,
        deciding: { [weak application] node in
          let item = BlameProbe.call("creating", node.path) { Item(node.path) }
          if node.path == "root/late" { return .later }
          if node.path.count == 1 { application?.roots = [item] }
          return .object(item)
        })
    }
  }

  /// Runs a callback, in which the process may die, and marks it as long as it runs.
  private static func call<Result>(_ phase: String, _ path: RestorationPath, _ body: () throws -> Result) rethrows -> Result {
    let line = unsafe "\(archive) \(phase) \(path)"
    unsafe running.append(line)
    write(line)
    defer {
      unsafe running.removeLast()
      write(unsafe running.last ?? "")
    }
    unsafe count += 1
    if unsafe deadly < 0 { StoreProbe.say("\(unsafe count)") }
    let isDeadly = unsafe count == deadly
    let early = Bool.random()
    if isDeadly, early { die() }
    work()
    let result = try body()
    work()
    if isDeadly { die() }
    return result
  }

  private static func die() -> Never {
    if unsafe aborts { abort() }
    while true { raise(SIGKILL) }
  }

  private static func work() {
    var sum = 0
    for number in 0..<Int.random(in: 0..<20_000) { sum &+= number }
    if sum == 1 { StoreProbe.say("never") }
  }

  /// Writes the mark with one call.
  private static func write(_ line: String) {
    let bytes = Array("\(line.utf8.count) \(line)\n".utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(mark, $0.baseAddress, $0.count, 0) }
  }
}
