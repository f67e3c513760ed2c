import EngineKit
import StateRestoration
import Testing

/// Behaviours 73: declarations of a subclass take effect if its base class declares them too.
@Suite struct InheritanceTests {
  private class Panel: RestorableObject {
    override class var restorationType: String { "Panel" }
    override class var restorationSchemaVersion: Int { 1 }
    @Restored var isOpen = true
  }

  private final class ColorPanel: Panel {
    override class var restorationType: String { "ColorPanel" }
    override class var restorationSchemaVersion: Int { 3 }
    override class var keepsUnknownKeys: Bool { true }
    var parts: [any Restorable] = []
    var answers: [RestoredState] = []
    @Restored var color = "red"

    override var restorationIdentifier: String? { "color-\(super.restorationIdentifier ?? "")" }
    override var restorationChildren: [any Restorable] { parts }
    override var restorationProvider: ProviderReference? { ProviderReference(name: "Main", identifier: "Colors") }
    override var restorationReasons: Set<RestorationReason> { [.restore] }

    override func encodeRestorableState(with coder: StateEncoder) throws {
      try super.encodeRestorableState(with: coder)
      try coder.encode(1, forKey: "more")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
      try super.decodeRestorableState(with: coder)
      color += try "\(coder.decode(Int.self, forKey: "more"))"
    }

    override func applicationFinishedRestoringState(_ state: RestoredState) { answers.append(state) }
  }

  @Test("73: every override in a subclass of the base class takes effect")
  func behaviour73Overrides() throws {
    let panel = ColorPanel(restorationIdentifier: "1")
    panel.parts = [RestorableObject(restorationIdentifier: "empty"), Panel(restorationIdentifier: "part")]
    panel.isOpen = false
    let archive = try RestorableTree.saved([panel])
    #expect(try archive.paths() == ["color-1", "color-1/part"])
    let node = try #require(try archive.node(at: "color-1"))
    #expect(node.type == "ColorPanel" && node.schemaVersion == 3)
    #expect(try node.provider() == ProviderReference(name: "Main", identifier: "Colors"))
    #expect(try node.state() == ["isOpen": false, "color": "red", "more": 1])
    #expect(try archive.node(at: "color-1/part")?.type == "Panel")

    let next = ColorPanel(restorationIdentifier: "1")
    let report = try RestorableTree(roots: [next]).restore(
      from: archive, with: Resolver(), options: .init(launch: .init(reason: .restore)))
    #expect(report.node(at: "color-1")?.outcome == .located)
    #expect(!next.isOpen && next.color == "red1" && next.answers == [.data])
    let other = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(other.node(at: "color-1")?.outcome == .notDecoded(.reason))
    // An object of the base class does not match the derived class.
    let base = try RestorableTree(roots: [Panel(restorationIdentifier: "color-1")]).restore(from: archive, with: Resolver())
    #expect(base.node(at: "color-1")?.outcome == .notDecoded(.otherType))
    #expect(base.why("color-1").contains("if the type was renamed, add Alias(type: \"ColorPanel\", to: \"Panel\")"))
  }

  @Test("73: an object of the base class needs nothing but an identifier")
  func behaviour73Plain() throws {
    let object = RestorableObject(restorationIdentifier: "a")
    #expect(object.restorationChildren.isEmpty && object.restorationParent == nil && object.restorationProvider == nil)
    #expect(RestorableObject.restorationType == "" && RestorableObject.restorationSchemaVersion == 0 && !RestorableObject.keepsUnknownKeys)
    #expect(RestorableObject().restorationIdentifier == nil && object.restorationReasons == RestorationReason.all)
  }

  @Test("a class can be both restorable and a delegate")
  func isBoth() throws {
    final class Both: Restorable, RestorationDelegate {
      let restorationIdentifier: String? = "both"
      @Restored var x = 1
    }
    let both = Both()
    let application = RestorableTree(roots: [both], delegate: both)
    try application.startFresh()
    let archive = try application.saved()
    #expect(try archive.state("both") == ["x": 1] && archive.application().state() == ["x": 1])
  }

  private final class Reusing: Panel {
    override func encodeRestorableState(with coder: StateEncoder) throws {
      try super.encodeRestorableState(with: coder)
      try coder.encode("half", forKey: "isOpen")
      for number in 0..<2 { try coder.encode(number, forKey: "last") }
    }
  }

  @Test("a subclass that encodes a key of its superclass again is reported, once for its class, with its path and the keys")
  func reportsRepeatedKeys() throws {
    let objects = ["a", "b"].map { Reusing(restorationIdentifier: $0) } + [Panel(restorationIdentifier: "c"), ColorPanel()]
    let tree = RestorableTree(roots: objects)
    try tree.startFresh()
    let notes = try tree.preserve(header: .sample).report.notes.filter { $0.kind == .repeatedKey }
    #expect(notes.map(\.path) == ["a"])
    #expect(
      notes.first?.message
        == "Reusing.encodeRestorableState(with:) encodes \"isOpen\", \"last\" more than once, and only the last value is saved: "
        + "a subclass needs keys that its superclass does not use")
    #expect(try tree.saved().state("b") == ["isOpen": "half", "last": 1])
  }

  private class PlainBase: Restorable {
    let restorationIdentifier: String? = "plain"
    @Restored var x = 1
  }

  private final class PlainDerived: PlainBase {
    // These have no effect, and the compiler does not warn: the base class conforms, but does not declare them.
    static var restorationType: String { "Derived" }
    func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(2, forKey: "y") }
  }

  @Test("73: with a plain conformance such declarations have no effect, as the guide states")
  func behaviour73PlainConformance() throws {
    let archive = try RestorableTree.saved([PlainDerived()])
    #expect(try archive.node(at: "plain")?.type == nil && archive.state("plain") == ["x": 1])
  }
}
