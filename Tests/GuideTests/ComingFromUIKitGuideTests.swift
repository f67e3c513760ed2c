import Foundation
import RestorationNSCoder
import Testing

// The code of the guide "Coming from UIKit or AppKit", compiled and run.

final class Bookmark: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let chapter: String
  let created: Date

  init(chapter: String, created: Date) {
    self.chapter = chapter
    self.created = created
  }

  func encode(with coder: NSCoder) {
    coder.encode(chapter, forKey: "chapter")
    coder.encode(created, forKey: "created")
  }

  init?(coder: NSCoder) {
    guard let chapter = coder.decodeObject(of: NSString.self, forKey: "chapter"),
      let created = coder.decodeObject(of: NSDate.self, forKey: "created")
    else { return nil }
    self.chapter = chapter as String
    self.created = created as Date
  }
}

class ShelfController: NSCoderRestorableObject {
  override class var restorationType: String { "Shelf" }
  override class var restorableClasses: ObjectClasses { ["Bookmark": Bookmark.self] }
  override var restorationChildren: [any Restorable] { readers }

  var readers: [ReaderController] = []
  var front: ReaderController?
  var bookmarks: [Bookmark] = []
  var scrollOffset = 0.0

  override func encodeRestorableState(with coder: NSCoder) {
    super.encodeRestorableState(with: coder)
    coder.encode(scrollOffset, forKey: "scrollOffset")
    coder.encode(bookmarks, forKey: "bookmarks")
    coder.encode(front, forKey: "front")
  }

  override func decodeRestorableState(with coder: NSCoder) {
    super.decodeRestorableState(with: coder)
    scrollOffset = coder.decodeDouble(forKey: "scrollOffset")
    bookmarks = coder.decodeObject(of: [NSArray.self, Bookmark.self], forKey: "bookmarks") as? [Bookmark] ?? []
    front = coder.decodeObject(forKey: "front") as? ReaderController
  }
}

final class ReaderController: NSCoderRestorableObject {
  override class var restorationType: String { "Reader" }

  let book: UUID
  var page = 0

  init(book: UUID) {
    self.book = book
    super.init(restorationIdentifier: "reader-\(book.uuidString)")
  }

  override func encodeRestorableState(with coder: NSCoder) {
    super.encodeRestorableState(with: coder)
    coder.encode(book as NSUUID, forKey: "book")
    coder.encode(page, forKey: "page")
  }

  override func decodeRestorableState(with coder: NSCoder) {
    super.decodeRestorableState(with: coder)
    page = coder.decodeInteger(forKey: "page")
  }

  static func viewController(withRestorationIdentifierPath path: [String], coder: NSCoder) -> ReaderController? {
    guard let book = coder.decodeObject(of: NSUUID.self, forKey: "book") else { return nil }
    return ReaderController(book: book as UUID)
  }
}

@MainActor final class LibraryDelegate: @MainActor NSCoderRestorationDelegate {
  let shelf = ShelfController(restorationIdentifier: "shelf")
  var theme = "light"
  var isDemo = false

  func shouldSaveApplicationState(to coder: NSCoder) -> Bool {
    !isDemo
  }

  func willEncodeRestorableState(with coder: NSCoder) {
    coder.encode(theme, forKey: "theme")
  }

  func shouldRestoreApplicationState(from coder: NSCoder) -> Bool {
    let build = coder.decodeObject(forKey: KeyedStateCoder.bundleVersionKey) as? String
    return build != "41"  // its state is of no use
  }

  func didDecodeRestorableState(with coder: NSCoder) {
    theme = coder.decodeObject(of: NSString.self, forKey: "theme") as String? ?? "light"
  }
}

@MainActor func makeRestoration(of app: LibraryDelegate, _ configuration: AppConfiguration) throws -> AppRestoration {
  try AppRestoration(configuration, roots: { [app.shelf] }, delegate: app) {
    Factory(ReaderController.self) { node in
      let reader = try node.withNSCoder { coder in
        ReaderController.viewController(withRestorationIdentifierPath: node.path.components, coder: coder)
      }
      if let reader { app.shelf.readers.append(reader) }
      return reader
    }
  }
}

final class AccountController: NSCoderRestorableObject {
  var name = "me@example.org"

  override func encodeRestorableState(with coder: NSCoder) {
    super.encodeRestorableState(with: coder)
    coder.encode(2, forKey: "tab")
  }

  override func encodeRestorableState(with coder: StateEncoder) throws {
    try super.encodeRestorableState(with: coder)
    try coder.encode(name, forKey: "name", isSensitive: true)
  }
}

@MainActor @Suite struct ComingFromUIKitGuideTests {
  @Test("the library of the guide comes back")
  func comesBack() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-uikit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = AppConfiguration(bundleIdentifier: "org.example.library", bundleVersion: "42", folder: folder.path)
    (configuration.handlesSignals, configuration.recordsFatalSignals) = (false, false)
    let app = LibraryDelegate()
    app.theme = "dark"
    app.shelf.readers = [ReaderController(book: UUID()), ReaderController(book: UUID())]
    app.shelf.readers[1].page = 12
    app.shelf.front = app.shelf.readers[1]
    app.shelf.bookmarks = [Bookmark(chapter: "2", created: Date(timeIntervalSinceReferenceDate: 9))]
    let first = try makeRestoration(of: app, configuration)
    _ = try first.launch()
    try first.endNow()

    let next = LibraryDelegate()
    let second = try makeRestoration(of: next, configuration)
    #expect(try second.launch().report?.summary == "restored 3 of 3")
    #expect(next.theme == "dark" && next.shelf.readers.map(\.book) == app.shelf.readers.map(\.book))
    #expect(next.shelf.front === next.shelf.readers[1] && next.shelf.front?.page == 12)
    #expect(next.shelf.bookmarks.map(\.chapter) == ["2"] && next.shelf.bookmarks.map(\.created) == app.shelf.bookmarks.map(\.created))
    await second.end()
  }

  @Test("a mark as sensitive is possible beside an NSCoder")
  func marks() throws {
    let writer = ArchiveWriter()
    try writer.addNode("account") { try AccountController().encodeRestorableState(with: $0) }
    let state = try #require(try ArchiveReader(writer.finish()).node(at: "account")).state()
    #expect(state.map(\.key) == ["name", "tab"] && state.entry(forKey: "name")?.isSensitive == true)
  }
}
