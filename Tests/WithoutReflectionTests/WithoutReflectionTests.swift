import EngineKit
import RestorationArchive
import StateRestoration
import Testing

private final class Counter: Restorable {
  let restorationIdentifier: String? = "counter"
  @Restored var count = 0
}

/// A class whose superclass says what properties it has.
private final class Panel: RestorableObject {
  @Restored var width = 1
}

/// A class that encodes by hand, and one without stored properties.
private final class Note: Restorable {
  let restorationIdentifier: String? = "note"
  var text = "by hand"

  func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(text, forKey: "text") }
  func decodeRestorableState(with coder: StateDecoder) throws { text = try coder.decode(String.self, forKey: "text") }
}

private final class Group: Restorable {
  var restorationIdentifier: String? { "group" }
}

/// This module is compiled without the metadata that tells which properties a class has.
struct WithoutReflectionTests {
  @Test("properties that cannot be found are an error, not silently lost; other objects are saved")
  func reportsLostProperties() throws {
    let application = RestorableTree(roots: [Counter(), Panel(restorationIdentifier: "panel"), Note(), Group()])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes.map(\.kind) == [.failed, .failed])
    for (note, name) in zip(preservation.report.notes, ["Counter", "Panel"]) {
      #expect(note.message.contains("the properties of \(name) cannot be found"))
    }
    let bytes = try preservation.archive
    let archive = try ArchiveReader(#require(bytes))
    #expect(try archive.node(at: "note")?.state() == ["text": "by hand"])
  }
}
