import StateRestoration

/// A launch of a small app with a window and two documents, one of which may kill the process.
enum LaunchProbe {
  final class Window: Restorable {
    static let restorationType = "Window"
    let restorationIdentifier: String? = "root"
    var documents: [Document] = []
    var restorationChildren: [any Restorable] { documents }
  }

  final class Document: Restorable {
    static let restorationType = "Document"
    let restorationIdentifier: String?
    let isDeadly: Bool
    var words = 0
    var wasRestored = false

    init(_ identifier: String, isDeadly: Bool) {
      restorationIdentifier = identifier
      self.isDeadly = isDeadly
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(words, forKey: "words")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      if isDeadly { Self.die() }
      words = try coder.decode(Int.self, forKey: "words") + 1
      wasRestored = true
    }

    private static func die() -> Never {
      fatalError("the document that kills")
    }
  }

  static func run(_ folder: String, abortingAt deadlyPath: String?, isLate: Bool = false, isMoved: Bool = false) throws {
    let reach = Reach(!isLate)
    let store = try RestorationStore(folder: folder, isReachable: { reach.isThere })
    let reason = try store.beginLaunch(bundleVersion: "1")
    let window = Window()
    window.documents = [isMoved ? "worse" : "bad", "good"].map { Document($0, isDeadly: "root/\($0)" == deadlyPath) }
    let application = RestorableTree(roots: [window])
    let resolver = isMoved ? try Resolver { Alias("root/bad", to: "root/worse") } : try Resolver {}
    if isLate { _ = try store.restore(application, with: resolver) }
    reach.isThere = true
    let restored = try store.restore(application, with: resolver)
    let documents = window.documents.map { "\($0.restorationIdentifier ?? "")=\($0.wasRestored ? "\($0.words)" : "fresh")" }
    StoreProbe.say("\(reason.rawValue): \(restored.plan.reason): \(documents.joined(separator: " "))")
    try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1")))
    store.markStable()
    store.endLaunch()
  }
}
