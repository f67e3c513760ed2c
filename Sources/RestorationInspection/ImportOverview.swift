package import KeyedArchive
import RestorationArchive

/// A summary of an imported archive: its source, header and counts, and what could not be read.
package struct ImportOverview: Sendable {
  private let imported: ImportedArchive
  private let byteCount: Int
  /// What a report lists: a small file can have many faults, each with a long path.
  private let limit: Allowance

  /// Summarizes an imported archive.
  ///
  /// - Parameters:
  ///   - imported: The archive.
  ///   - byteCount: The length of its source.
  ///   - listingLimit: The maximum number of listed notes; nil for the limits of ``CheckReport``.
  package init(_ imported: ImportedArchive, byteCount: Int, listingLimit: Int? = nil) {
    self.imported = imported
    self.byteCount = byteCount
    limit = Allowance(listingLimit, byteCount: byteCount)
  }

  /// Whether every part of the source became a value.
  package var isComplete: Bool { !imported.notes.contains(where: \.isLoss) }

  /// Whether the source is complete and has no oddity.
  package var isSound: Bool { imported.notes.allSatisfy { $0.kind == .remark } }

  /// A caution about imports of UIKit's archives.
  private static let caution = "UIKit's format is read from documentation, and was not yet compared with a genuine file"

  private var facts: [(label: String, facts: [String])] {
    let tree = imported.tree
    let header = tree.header.entries.map { "\($0.key.escapedForDisplay): \($0.value.displayText)" }
    return [
      ("format", [imported.source.words] + (imported.source == .uiKit ? [Self.caution] : [])), ("header", header),
      ("values", [ArchiveOverview.counted(tree.applicationState.count, "named value")]),
      ("nodes", [tree.nodeCount == 0 ? "none" : "\(tree.nodeCount)"]),
      ("objects", sharing),
      ("size", [ArchiveOverview.counted(byteCount, "byte")]),
    ]
  }

  /// The facts about shared and circular objects.
  private var sharing: [String] {
    var facts: [String] = []
    if imported.hasOutOfLineObjects { facts.append("some are shared or refer to each other in circles: see $objects") }
    if imported.copiedObjectCount > 0 {
      let count = ArchiveOverview.counted(imported.copiedObjectCount, "small object")
      facts.append("\(count) \(imported.copiedObjectCount == 1 ? "is" : "are") shared, and copied to each place")
    }
    return facts
  }

  package func text(_ style: TextStyle = .plain) -> String { ArchiveOverview.lines(of: facts, style) }

  /// Writes the notes and the verdict of a check as text.
  package func writeCheck(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    var left = limit
    let listed = left.visit(imported.notes, { $0.path }) { output.write("\(Self.label(of: $0, style)): \($0)\n") }
    CheckReport.writeRest(of: imported.notes.count - listed, "more note", to: &output)
    let verdict = isSound ? "readable" : isComplete ? "readable, with oddities" : "readable in part"
    output.write(style.bold("\(verdict): \(imported.source.words)") + "\n")
  }

  private static func label(of note: ImportedArchive.Note, _ style: TextStyle) -> String {
    switch note.kind {
    case .remark: "note"
    case .oddity: style.alarming("odd")
    case .loss: style.alarming("lost")
    }
  }

  package func writeJSON(of file: String? = nil, to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      writer.members([
        "byteCount": byteCount, "copiedObjectCount": imported.copiedObjectCount, "file": file,
        "hasOutOfLineObjects": imported.hasOutOfLineObjects,
        "header": JSONEntries(entries: imported.tree.header.entries, sensitive: .reveal), "isComplete": isComplete,
        "nodeCount": imported.tree.nodeCount, "noteCount": imported.notes.count,
      ])
      writer.elements(of: "notes") { add in
        var left = limit
        left.visit(imported.notes, { $0.path }) { note in
          add { $0.object(["kind": note.kind.rawValue, "path": note.path?.description, "text": note.text]) }
        }
      }
      writer.members(["source": imported.source.rawValue])
    }
  }
}
