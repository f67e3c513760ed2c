import EngineKit
import Observation
@testable import StateRestoration
import Testing

@propertyWrapper private struct Logged<Value> {
  var wrappedValue: Value
  init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

private struct Settings {
  @Restored var zoom = 1
}

/// Properties that are marked where the mark has no effect.
@Suite struct MarkedPropertyTests {
  private final class Wrapped: Restorable {
    let restorationIdentifier: String? = "wrapped"
    @Restored var plain = 0
    @Logged @Restored var logged = 0
  }

  private final class Marked: Restorable {
    let restorationIdentifier: String? = "marked"
    @Restored var plain = 0
    @Sensitive @Restored var token = ""
  }

  private final class Grouped: Restorable {
    let restorationIdentifier: String? = "grouped"
    @Restored var plain = 0
    var settings = Settings()
  }

  @Observable final class Observed: ObservableRestorable {
    let restorationIdentifier: String? = "observed"
    var first = 1
    var second = 2
    static var restoredProperties: [ObservedProperty<Observed>] { [.init("key", \.first), .init("key", \.second)] }
  }

  @Test("a restored property inside another wrapper is saved, or its object says that it cannot be")
  func restoredInsideWrapper() throws {
    let object = Wrapped()
    (object.plain, object.logged) = (1, 2)
    let tree = RestorableTree(roots: [object])
    try tree.startFresh()
    let preservation = try tree.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).state("wrapped")
    #expect(state == ["plain": 1, "logged": 2] || !preservation.report.notes.isEmpty)
  }

  @Test("a restored property inside the mark for sensitive values is saved, or its object says that it cannot be")
  func restoredInsideMark() throws {
    let object = Marked()
    (object.plain, object.token) = (1, "t")
    let tree = RestorableTree(roots: [object])
    try tree.startFresh()
    let preservation = try tree.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).state("marked")
    #expect(state?["token"] == .string("t") || !preservation.report.notes.isEmpty)
  }

  @Test("a restored property inside a struct is saved, or its object says that it cannot be")
  func restoredInsideStruct() throws {
    let object = Grouped()
    (object.plain, object.settings.zoom) = (1, 2)
    let tree = RestorableTree(roots: [object])
    try tree.startFresh()
    let preservation = try tree.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).state("grouped")
    #expect(state?["zoom"] == 2 || !preservation.report.notes.isEmpty)
  }

  @Test("two observed properties with one key are a mistake, as two restored ones are")
  func observedPropertiesWithOneKey() throws {
    let tree = RestorableTree(roots: [Observed()])
    try tree.startFresh()
    let preservation = try tree.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).state("observed")
    #expect(!preservation.report.notes.isEmpty, "\(String(describing: state?.map(\.key)))")
  }
}
