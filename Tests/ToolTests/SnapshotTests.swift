import Foundation
import ProcessKit
import Testing

/// The exact output of the tool: `Snapshots/NAME.txt` holds command, exit status and both streams.
///
/// `BLESS=1` rewrites the files.
@Suite struct SnapshotTests {
  /// The arguments, by the name of the file.
  static let commands: [(name: String, arguments: [String])] = [
    ("help", ["--help"]), ("version", ["--version"]), ("nothing", []),
    ("info-help", ["info", "--help"]), ("tree-help", ["tree", "-h"]), ("get-help", ["help", "get"]), ("check-help", ["check", "--help"]),
    ("convert-help", ["convert", "--help"]), ("dump-help", ["dump", "--help"]), ("demo", ["demo"]), ("demo-help", ["demo", "--help"]),
    ("notes-help", ["notes", "--help"]),
    ("store-help", ["store", "--help"]), ("report-help", ["report", "--help"]), ("browse-help", ["browse", "--help"]),
    ("resolve-help", ["resolve", "--help"]), ("search-help", ["search", "--help"]),
    ("search", ["search", "-i", "notes.rsta", "item"]), ("search-json", ["search", "--format", "json", "small.rsta", "/dark|root/"]),
    ("search-color", ["search", "--color", "always", "--key", "text", "notes.rsta", "/[a-z]+ing/"]),
    ("tree-json-letter", ["tree", "--format", "json", "letter.txt"]),
    ("resolve", ["resolve", "-r", "type:Scene", "-r", "main/navigation/*", "-r", "!main/share-sheet", "notes.rsta"]),
    ("resolve-json", ["resolve", "--register=root", "--format", "json", "small.rsta"]),
    ("resolve-mistakes", ["resolve", "-r", "a//b", "-r", "type:", "notes.rsta"]),
    ("salvage-help", ["salvage", "--help"]), ("salvage", ["salvage", "damaged.rsta"]),
    ("salvage-json", ["salvage", "--format", "json", "cut.rsta"]), ("salvage-letter", ["salvage", "letter.txt"]),
    ("info", ["info", "notes.rsta"]), ("info-json", ["info", "--format", "json", "kiosk.rsta"]),
    ("info-cut", ["info", "cut.rsta"]), ("info-absurd", ["info", "absurd.rsta"]), ("info-empty", ["info", "empty.rsta"]),
    ("info-byte", ["info", "byte.rsta"]), ("info-picture", ["info", "picture.png"]),
    ("info-text-mode", ["info", "text-mode.rsta"]), ("info-folder", ["info", "."]), ("info-later", ["info", "later.rsta"]),
    ("info-absent", ["info", "absent.rsta"]),
    ("tree", ["tree", "notes.rsta"]), ("tree-state", ["tree", "--state", "--sizes", "--depth=2", "notes.rsta"]),
    ("tree-json", ["tree", "--format=json", "--state", "--sizes", "kiosk.rsta"]), ("tree-damaged", ["tree", "--state", "damaged.rsta"]),
    ("tree-cut", ["tree", "cut.rsta"]), ("tree-absurd", ["tree", "--state", "absurd.rsta"]),
    ("tree-color", ["tree", "--color", "always", "--depth", "1", "kiosk.rsta"]), ("tree-duplicate", ["tree", "duplicate.rsta"]),
    ("get-node", ["get", "notes.rsta", "main/navigation/notes"]), ("get-value", ["get", "notes.rsta", "", "fontScale"]),
    ("get-json", ["get", "--format", "json", "notes.rsta", "main"]), ("get-sensitive", ["get", "notes.rsta", "", "unlockToken"]),
    ("get-revealed", ["get", "--reveal", "notes.rsta", "", "unlockToken"]),
    ("get-absent-node", ["get", "notes.rsta", "main/navigaton"]), ("get-absent-key", ["get", "notes.rsta", "", "fontscale"]),
    ("get-bad-path", ["get", "notes.rsta", "main//x"]),
    ("check", ["check", "notes.rsta"]), ("check-damaged", ["check", "damaged.rsta"]), ("check-front", ["check", "front.rsta"]),
    ("check-many", ["check", "notes.rsta", "letter.txt", "cut.rsta", "absent.rsta"]),
    ("check-json", ["check", "--format", "json", "damaged.rsta"]), ("check-later", ["check", "later.rsta"]),
    ("check-json-many", ["check", "--format", "json", "small.rsta", "kiosk.rsta"]),
    ("convert", ["convert", "--to", "json", "small.rsta"]), ("convert-sensitive", ["convert", "notes.rsta"]),
    ("convert-damaged", ["convert", "damaged.rsta"]), ("convert-broken", ["convert", "broken.json"]),
    ("convert-letter", ["convert", "letter.txt"]),
    ("dump", ["dump", "small.rsta"]), ("dump-json", ["dump", "--format", "json", "small.rsta"]), ("dump-cut", ["dump", "cut.rsta"]),
    ("dump-letter", ["dump", "letter.txt"]),
    ("diff-help", ["diff", "--help"]), ("diff", ["diff", "notes.rsta", "edited.rsta"]),
    ("diff-same", ["diff", "small.rsta", "small.json"]),
    ("diff-color", ["diff", "--color", "always", "small.rsta", "edited.json"]),
    ("diff-json", ["diff", "--format", "json", "small.rsta", "edited.json"]),
    ("diff-stat", ["diff", "--stat", "notes.rsta", "edited.rsta"]),
    ("diff-stat-json", ["diff", "--stat", "--format=json", "small.rsta", "edited.json"]),
    ("diff-path", ["diff", "--path", "main/navigation", "--ignore", "volatile", "notes.rsta", "edited.rsta"]),
    ("diff-absent-path", ["diff", "--path", "nowhere", "notes.rsta", "edited.rsta"]),
    ("diff-damaged", ["diff", "damaged.rsta", "damaged.rsta"]), ("diff-cut", ["diff", "notes.rsta", "cut.rsta"]),
    ("diff-letter", ["diff", "notes.rsta", "letter.txt"]), ("diff-broken", ["diff", "broken.json", "notes.rsta"]),
    ("diff-absurd", ["diff", "small.rsta", "absurd.rsta"]),
    ("sizes-help", ["sizes", "--help"]), ("sizes", ["sizes", "notes.rsta"]), ("sizes-json", ["sizes", "--format", "json", "small.rsta"]),
    ("sizes-view", ["sizes", "--by", "path", "--depth", "2", "--limit", "3", "notes.rsta", "kiosk.rsta"]),
    ("sizes-budget", ["sizes", "--budget", "budget.txt", "notes.rsta", "small.rsta", "absent.rsta"]),
    ("sizes-bad-budget", ["sizes", "--budget", "letter.txt", "notes.rsta"]), ("sizes-cut", ["sizes", "--by", "overhead", "cut.rsta"]),
    ("completions-help", ["completions", "--help"]), ("completions-other", ["completions", "tcsh"]),
    ("manual-help", ["manual", "--help"]),
    ("uikit-info", ["info", "uikit.data"]), ("uikit-tree", ["tree", "--state", "uikit.data"]),
    ("uikit-get", ["get", "uikit.data", "Tabs/:[0]:/Detail"]), ("uikit-check", ["check", "part.data"]),
    ("appkit-info", ["info", "notes.savedState"]), ("appkit-tree", ["tree", "--state", "notes.savedState"]),
    ("appkit-check", ["check", "--format", "json", "notes.savedState/data.data"]), ("appkit-dump", ["dump", "notes.savedState/data.data"]),
    ("appkit-alone", ["info", "alone.data"]), ("appkit-windows", ["check", "notes.savedState/windows.plist"]),
    ("copies-info", ["info", "copies.plist"]),
    ("circle-get", ["get", "circle.plist", ""]), ("circle-info", ["info", "--format", "json", "circle.plist"]),
    ("list-convert", ["convert", "--to", "json", "xml.plist"]), ("list-dump", ["dump", "shared.plist"]),
    ("list-hostile", ["check", "hostile.plist", "shared.plist"]),
    ("delta-help", ["delta", "--help"]), ("apply-help", ["apply", "--help"]), ("chain-tree", ["tree", "--state", "chain/3.rsta"]),
    ("chain-link", ["tree", "--state", "--link", "chain/3.rsta"]), ("chain-info", ["info", "--link", "chain/2.rsta"]),
    ("chain-json", ["convert", "--link", "chain/3.rsta"]), ("chain-lost", ["info", "lost/3.rsta"]),
    ("chain-circle", ["check", "circle/2.rsta"]),
    ("chain-order", ["apply", "chain/1.rsta", "chain/3.rsta"]),
  ]

  @Test(arguments: commands)
  func printsWhatIsWrittenDown(_ name: String, _ arguments: [String]) throws {
    let result = try ToolFixture().run(arguments)
    let found = """
      $ restoration \(arguments.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: " "))
      --- exit status \(result.status)
      --- standard output
      \(result.text)--- standard error
      \(result.error)
      """
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots/\(name).txt")
    if ProcessInfo.processInfo.environment["BLESS"] == "1" { try found.write(to: file, atomically: true, encoding: .utf8) }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(found == expected)
  }

  @Test func everySnapshotHasItsCommand() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == Self.commands.map { "\($0.name).txt" }.sorted())
  }
}
