#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import StateRestoration

/// A small notes app that is saved to a file by one process and restored from it by another: what `restoration demo` shows.
///
///     print(try NotesDemonstration.save(toFile: path, now: now).tree)      // in a process that is then killed
///     print(try NotesDemonstration.restore(fromFile: path))                // in another one
public struct NotesDemonstration: Sendable, Equatable, CustomStringConvertible {
  /// The app's objects with what they show, a line each.
  public let tree: String
  /// What was saved or restored, and what was not, and why.
  public let report: String

  /// Both, one after the other.
  public var description: String { "\(tree)\n\(report)" }

  /// Builds the app as its user left it, and saves it.
  ///
  /// - Parameters:
  ///   - path: The file to write.
  ///   - now: The time that the archive is to have.
  /// - Returns: What was saved.
  /// - Throws: What preserving throws, and why the file cannot be written.
  public static func save(toFile path: String, now: Date) throws -> NotesDemonstration {
    let window = usedWindow()
    let delegate = NotesDelegate()
    delegate.theme = "dark"
    let application = RestorableApplication(roots: [window], delegate: delegate)
    try application.startFresh()
    let preservation = try application.preserve(
      header: ArchiveHeader(
        bundleIdentifier: "com.example.notes", bundleVersion: "42", timestamp: now, userInterfaceIdiom: .terminal,
        writer: "restoration demo"))
    guard let data = try preservation.archive else { throw RestorationDeclined() }
    try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    return NotesDemonstration(tree: text(window, delegate), report: "\(delegate.decision)\n\(preservation.report)")
  }

  /// Launches the app, and restores it from a file.
  ///
  /// - Throws: What is wrong with the file.
  public static func restore(fromFile path: String) throws -> NotesDemonstration {
    let window = NotesWindow()
    let delegate = NotesDelegate()
    let application = RestorableApplication(roots: [window], delegate: delegate)
    let resolver = try Resolver {
      Factory(type: "Editor") { node in
        let name = try node.decode(String.self, forKey: "note")
        return Note.all.first { $0.name == name }.map { NoteEditor($0) }
      }
    }
    let report = try application.restore(
      from: ArchiveReader(contentsOfFile: path), with: resolver, options: RestorationOptions(launch: RestorationLaunch(reason: .recover)))
    return NotesDemonstration(tree: text(window, delegate), report: "\(delegate.decision)\n\(report)")
  }

  /// A window as somebody left it who was just writing a letter.
  private static func usedWindow() -> NotesWindow {
    let window = NotesWindow()
    window.zoom = 1.25
    window.list.selected = "letter"
    window.list.offset = 37.5
    window.editors = Note.all.dropFirst().map { NoteEditor($0) }
    window.editors[1].line = 3
    window.editors[1].draft = "Dear Ada, the engine runs. It even"
    window.front = window.editors[1]
    window.panels = [CalendarPanel()]
    return window
  }

  private static func text(_ window: NotesWindow, _ delegate: NotesDelegate) -> String {
    var lines = ["notes: theme \(delegate.theme)", "  main: zoom \(window.zoom), front \(window.front?.note.name ?? "none")"]
    lines.append("    list: selected \(window.list.selected.isEmpty ? "nothing" : window.list.selected), scrolled to \(window.list.offset)")
    for editor in window.editors {
      lines.append("    note \(editor.note.name): line \(editor.line), draft of \(editor.draft.utf8.count) bytes")
    }
    if !window.panels.isEmpty { lines.append("    calendar: a plug-in's panel") }
    return lines.joined(separator: "\n")
  }
}

/// The small app declined to be saved, which it never does.
struct RestorationDeclined: Error {}
