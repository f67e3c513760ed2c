import Foundation
import ProcessKit
import Testing

@testable import RestorationNotes

/// What a review of the notes app found.
@Suite struct ReviewNotesTests {
  @Test("a restored position with absurd numbers ends no app", arguments: [Int.min, -1, Int.max], [0, 1, 2, 3])
  func drawsAbsurdPosition(_ number: Int, _ use: Int) async throws {
    await #expect(processExitsWith: .success) { [number, use] in
      try await MainActor.run {
        let folder = try TemporaryFolder()
        let app = NotesApp(try NoteLibrary(folder: folder.url("notes")), hasCalendar: true)
        app.openWindow("main")
        try app.open("letter", inNewPane: false)
        // As decoded from a file.
        if use == 0 { app.editor?.scroll = number } else { app.editor?.cursor = number }
        switch use {
        case 2: app.editor?.move(1)
        case 3: try app.editor?.type("x")
        default: _ = NotesScreen.grid(app, status: "", columns: 80, rows: 24)
        }
      }
    }
  }
}
