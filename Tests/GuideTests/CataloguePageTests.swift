import Foundation
import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestorationTesting
import Testing

// The code of the first page of each library's documentation, compiled and run.

@MainActor
private func restartApp(_ window: EditorWindow, _ makeResolver: () throws -> Resolver) throws {
  var tree: RestorableTree? = RestorableTree(roots: [window])
  try tree?.startFresh()
  let restart = try restart(&tree) { () -> RestartedTree in
    let tree = RestorableTree(roots: [EditorWindow("main")])
    return RestartedTree(tree, resolver: try makeResolver())
  }
  let expected: ExpectedReport = ["main": .located]
  #expect(expected.differences(from: restart.restoration) == [])
}

@MainActor
private func coverOldArchives(_ folder: URL, _ makeResolver: () throws -> Resolver) throws {
  let coverage = try ArchiveCoverage(ofArchivesIn: folder) { archive in
    RestartedTree(RestorableTree(roots: [EditorWindow("main")]), resolver: try makeResolver())
  }
  #expect(coverage.gaps == [])
}

private func inspect(_ before: String, _ after: String) throws -> String {
  let (old, new) = (try ArchiveReader(inspectingFile: before), try ArchiveReader(inspectingFile: after))
  var text = ""
  ArchiveDifference(from: old, to: new).write(to: &text)
  let sizes = ArchiveSizes(new)
  for type in sizes.types.prefix(3) { text += "\(type.name): \(type.byteCount) bytes\n" }
  for excess in sizes.excesses(of: try SizeBudget(parsing: "(each node): 600")) { text += "\(excess)\n" }
  print(text)
  return text
}

private func convert(_ bytes: [UInt8]) throws -> Data {
  let imported = try ImportedArchive(decoding: bytes)
  for note in imported.notes { print(note) }
  let archive = try imported.tree.encoded()
  return archive
}

@MainActor
private func takeOver(_ file: URL, _ launch: AppLaunch, _ window: EditorWindow) throws {
  guard launch.freshStart == .nothingSaved, FileManager.default.fileExists(atPath: file.path) else { return }
  let earlier = try ImportedArchive(decoding: [UInt8](Data(contentsOf: file))).tree.applicationState
  guard case .dictionary(var root)? = earlier["root"] else { return }
  // An object that others refer to, as a child to its parent, is in one place for all of them.
  if case .integer(let number)? = root["$object"], case .dictionary(let objects)? = earlier["$objects"],
    case .dictionary(let object)? = objects["\(number)"]
  {
    root = object
  }
  if case .string(let text)? = root["text"] { window.text = text }
}

/// An object of an earlier version, to which its page refers back.
final class EarlierDraft: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var page: EarlierDraft?
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {
    coder.encode("a draft" as NSString, forKey: "text")
    coder.encode(page, forKey: "page")
  }
}

@Suite struct CataloguePageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// An app's archive of the corpus.
  private static let kiosk = root.appendingPathComponent("Corpus/valid/apps/kiosk.rsta")

  @Test("the code for an app's own tests works")
  @MainActor
  func testsApps() throws {
    try restartApp(EditorWindow("main")) { try Resolver {} }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("catalogue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tree = ArchiveTree(nodes: [ArchiveNode("main", type: "Editor", schemaVersion: 2)])
    try tree.encoded().write(to: folder.appendingPathComponent("1.rsta"))
    try coverOldArchives(folder) { try Resolver { Factory(EditorWindow.self) { EditorWindow($0.identifier) } } }
  }

  @Test("the code that takes over the state of an earlier version works")
  @MainActor
  func takesOverKeyedArchives() async throws {
    let (draft, page) = (EarlierDraft(), EarlierDraft())
    (draft.page, page.page) = (page, draft)
    defer { draft.page = nil }
    for state in [["text": "a draft"] as NSDictionary, draft] { try await takesOver(state) }
  }

  @MainActor
  private func takesOver(_ state: NSObject) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earlier-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("state")
    try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true).write(to: file)
    let window = EditorWindow("main")
    let store = folder.appendingPathComponent("store").path
    let configuration = AppConfiguration(bundleIdentifier: "org.example.earlier", bundleVersion: "1", folder: store)
    let restoration = try AppRestoration(configuration, roots: { [window] })
    try takeOver(file, restoration.launch(), window)
    #expect(window.text == "a draft")
    await restoration.end()
  }

  @Test("the code for tools works")
  func inspectsArchives() throws {
    let tree = try ArchiveTree(decoding: ArchiveReader(contentsOfFile: Self.kiosk.path))
    #expect(try ArchiveTree(decoding: ArchiveReader(convert([UInt8](tree.keyedArchive())))) == tree)
    let text = try inspect(Self.kiosk.path, Self.kiosk.path)
    #expect(text.contains(" bytes\n"))
  }
}
