import FoundationEssentials
import RestorationDemonstration
import Testing

@Suite struct DemonstrationTests {
  @Test("the small notes app comes back from its file, but for a plug-in that is not there")
  func comesBack() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("demonstration-\(UUID().uuidString).rsta")
    defer { try? FileManager.default.removeItem(at: file) }
    let saved = try NotesDemonstration.save(toFile: file.path, now: Date(timeIntervalSinceReferenceDate: 0))
    let restored = try NotesDemonstration.restore(fromFile: file.path)
    #expect(saved.tree == restored.tree + "\n    calendar: a plug-in's panel")
    #expect(
      restored.tree == """
        notes: theme dark
          main: zoom 1.25, front letter
            list: selected letter, scrolled to 37.5
            note ideas: line 1, draft of 0 bytes
            note letter: line 3, draft of 34 bytes
        """)
    #expect(
      restored.report == """
        should restore? restore
        restored 4 of 5; 1 not: 1 without a factory
        main/calendar: skipped: no factory, no object and no provider for it; its state is carried over; add \
        Factory(type: "CalendarPlugIn") { node in … }
        to restore them, add to the resolver:
          Factory(type: "CalendarPlugIn") { node in … }
        """)
    #expect(saved.report.hasPrefix("should save? save\nsaved 5 nodes in "))
  }
}
