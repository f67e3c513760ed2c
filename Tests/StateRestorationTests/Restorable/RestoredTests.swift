import EngineKit
import StateRestoration
import Testing

@Suite struct RestoredTests {
  /// A counter that survives the death of its process.
  private final class Counter: Restorable {
    let restorationIdentifier: String? = "counter"
    @Restored var count = 0
    @Restored("offset") var scroll = 1.5
    @Restored(isSensitive: true) var secret = "s"
  }

  private struct Settings: Codable, Equatable {
    var isDark = false
    var names = ["a"]
  }

  private final class SettingsPane: CodableRestorable {
    let restorationIdentifier: String? = "settings"
    var restorableState = Settings()
  }

  private class Base: Restorable {
    let restorationIdentifier: String? = "derived"
    @Restored var own = 1
  }

  private final class Derived: Base {
    @Restored var more = 2
  }

  private final class Clash: Restorable {
    let restorationIdentifier: String? = "clash"
    @Restored("x") var first = 1
    @Restored("x") var second = 2
  }

  @Test("properties marked as restored are saved and restored")
  func restoresProperties() throws {
    let counter = Counter()
    counter.count = 7
    counter.scroll = 2.5
    let archive = try RestorableTree.saved([counter])
    #expect(try archive.state("counter")?.entry(forKey: "count")?.value == 7)
    #expect(try archive.state("counter")?.entry(forKey: "offset")?.value == 2.5)
    #expect(try archive.state("counter")?.entry(forKey: "secret")?.isSensitive == true)
    let next = Counter()
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.count == 7 && next.scroll == 2.5 && next.secret == "s")
  }

  @Test("a missing key leaves the value unchanged; a wrong type is an error, and the other properties are restored")
  func keepsDefaults() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("counter", state: ["count": "seven", "offset": 9.5])])
    let counter = Counter()
    let report = try RestorableTree(roots: [counter]).restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    #expect(counter.count == 0 && counter.scroll == 9.5)
    #expect(report.node(at: "counter")?.error?.contains("key count") == true)
  }

  @Test("properties of superclasses are restored too; two with the same key are an error")
  func reachesSuperclasses() throws {
    let derived = Derived()
    derived.own = 5
    #expect(try RestorableTree.saved([derived]).state("derived") == ["own": 5, "more": 2])
    let application = RestorableTree(roots: [Clash()])
    try application.startFresh()
    #expect(try application.preserve(header: .sample).report.notes.map(\.kind) == [.failed])
  }

  /// A class whose objects choose the key of a property.
  private class Tagged: Restorable {
    let restorationIdentifier: String?
    @Restored var value: Int
    @Restored var note: String?

    init(_ identifier: String, key: String? = nil) {
      restorationIdentifier = identifier
      _value = Restored(wrappedValue: 1, key)
    }
  }

  /// A class whose mirror shows nothing.
  private final class Described: Tagged, CustomReflectable {
    @Restored var more = 2
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A class of a generic superclass, whose properties lie between others of every size.
  private class Padded<Value>: Tagged {
    var before: Value
    @Restored var flag = true
    weak var observer: AnyObject?

    init(_ identifier: String, before: Value) {
      self.before = before
      super.init(identifier)
    }
  }

  private final class Mixed: Padded<(UInt8, [Int]?)> {
    private var byte: UInt8 = 7
    @Restored private var small: UInt8 = 3
    private let closure: () -> Int = { 1 }
    private lazy var later = byte + 1
    private unowned(unsafe) var owner: AnyObject = Counter.self as AnyObject
    private var label: any Sendable = "label"
    @Restored var text = ""

    init(_ identifier: String) { super.init(identifier, before: (1, nil)) }

    func replace() {
      _text = Restored(wrappedValue: "new")
      _small = Restored(wrappedValue: 4)
    }
  }

  /// A node whose only property is there in some objects, and at some times.
  private class Optionally: Restorable {
    let restorationIdentifier: String?
    var extra: Restored<Int>?

    init(_ identifier: String, extra: Int? = nil) {
      restorationIdentifier = identifier
      self.extra = extra.map { Restored(wrappedValue: $0) }
    }
  }

  private final class Sparse: Optionally {
    @Restored var value = 1
  }

  @Test("what was found of a class's first object does not hold for one that has more")
  func findsOptionalProperties() throws {
    let archive = try RestorableTree.saved([Sparse("none"), Sparse("some", extra: 3)])
    #expect(try archive.state("none") == ["value": 1] && archive.state("some") == ["value": 1, "extra": 3])
  }

  /// Objects of these classes take the same memory, one after the other.
  private final class Parent: Restorable {
    let restorationIdentifier: String? = "old"
    @RestoredChildren var children: [Sparse] = []
  }

  private final class Sharing: Restorable {
    let restorationIdentifier: String?
    @Restored var count = 1

    init(_ identifier: String, sharing other: Sharing? = nil) {
      restorationIdentifier = identifier
      if let other { _count = other._count }
    }
  }

  private final class Unmarked: Restorable {
    let restorationIdentifier: String? = "new"
    var word = 1
  }

  private final class Note: Restorable {
    let restorationIdentifier: String? = "new"
    @Restored var text = "note"
  }

  /// Saves, releases the object that `make` returns, puts one at its address that `makeNext` returns, and saves again.
  private func reuse(
    besides other: (any Restorable)? = nil, _ make: () -> any Restorable, _ makeNext: () -> any Restorable
  ) throws -> ArchiveReader {
    // The memory may go to another thread at any attempt.
    for _ in 1...50 {
      var roots = [make()] + (other.map { [$0] } ?? [])
      // A tree keeps the memory of the objects that it has saved, so the first one goes with its object.
      func save() throws -> ArchiveReader {
        let application = RestorableTree(roots: { roots })
        try application.startFresh()
        return try ArchiveReader(#require(try application.preserve(header: .sample).archive))
      }
      _ = try save()
      let address = ObjectIdentifier(roots.removeFirst())
      var others: [any Restorable] = []
      while others.count < 1_000, others.last.map({ ObjectIdentifier($0) }) != address { others.append(makeNext()) }
      let next = others.removeLast()
      guard ObjectIdentifier(next) == address else { continue }
      roots.insert(next, at: 0)
      return try save()
    }
    Issue.record("no object of the other class got the address")
    throw CancellationError()
  }

  @Test("an object at the address of another one is saved by its own properties, whatever is left of the other's")
  func knowsObjectsApart() throws {
    let kept = Sharing("kept")
    let note = try reuse({ Parent() }, { Note() })
    #expect(try note.state("new") == ["text": "note"])
    // The first object's wrapper lives on in the other, which was saved after it.
    let unmarked = try reuse(besides: kept, { Sharing("old", sharing: kept) }, { Unmarked() })
    #expect(try unmarked.state("new") == nil && unmarked.state("kept") == ["count": 1])
    let shared = try reuse(besides: kept, { Sharing("old", sharing: kept) }, { Note() })
    #expect(try shared.state("new") == ["text": "note"] && shared.state("kept") == ["count": 1])
  }

  @Test("a property is changed in place: appending to it copies nothing")
  func changesInPlace() throws {
    final class Log: Restorable {
      let restorationIdentifier: String? = "log"
      @Restored var lines: [Int] = []
    }
    let log = Log()
    log.lines.reserveCapacity(100)
    func address() -> Int { unsafe log.lines.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
    let before = address()
    for line in 0..<100 {
      log.lines.append(line)
      #expect(address() == before)
    }
    #expect(log.lines == Array(0..<100))
  }

  @Test("a class whose first object has no property hides none of the next one, nor one that is set later")
  func findsLaterProperties() throws {
    let (first, second) = (Optionally("first"), Optionally("second", extra: 3))
    let application = RestorableTree(roots: [first, second])
    try application.startFresh()
    for extra in [nil, 4] {
      if let extra { first.extra = Restored(wrappedValue: extra) }
      let bytes = try application.preserve(header: .sample).archive
      let archive = try ArchiveReader(#require(bytes))
      let expected: ArchiveDictionary? = extra.map { ["extra": .integer($0)] }
      #expect(try archive.state("first") == expected && archive.state("second") == ["extra": 3])
    }
  }

  @Test("what was found of a class's first object does not hold for one with another key")
  func findsEachObject() throws {
    let archive = try RestorableTree.saved([Tagged("name"), Tagged("key", key: "other"), Tagged("same", key: "value")])
    #expect(try archive.state("name") == ["value": 1, "note": .null] && archive.state("same") == ["value": 1, "note": .null])
    #expect(try archive.state("key") == ["other": 1, "note": .null])
  }

  @Test("properties are found behind a mirror of the class's own, among all kinds of others")
  func findsPropertiesAmongOthers() throws {
    let mixed = Mixed("mixed")
    mixed.text = "set"
    let archive = try RestorableTree.saved([Described("described"), mixed])
    #expect(try archive.state("described") == ["more": 2, "value": 1, "note": .null])
    #expect(try archive.state("mixed") == ["value": 1, "note": .null, "text": "set", "small": 3, "flag": true])
    // The wrappers themselves, replaced after the first save.
    mixed.replace()
    #expect(try RestorableTree.saved([mixed]).state("mixed") == ["value": 1, "note": .null, "text": "new", "small": 4, "flag": true])
  }

  /// A draft, under the name that its class has in this build.
  private final class Letter: Restorable {
    static let restorationType = "Draft"
    let restorationIdentifier: String? = "draft"
    @Restored var text = ""
  }

  /// The same draft after its class was renamed.
  private final class Message: Restorable {
    static let restorationType = "Draft"
    let restorationIdentifier: String? = "draft"
    @Restored var text = ""
  }

  @Test("8: the type tag of a node is the name that the class gives, so that a build may rename the class")
  func savesTypeNames() throws {
    let letter = Letter()
    letter.text = "Dear Ann"
    let archive = try RestorableTree.saved([letter])
    #expect(try archive.node(at: "draft")?.type == "Draft")
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(Message.self) { _ in
          let message = Message()
          application.roots = [message]
          return message
        }
      })
    #expect(report.summary == "restored 1 of 1" && (application.roots.first as? Message)?.text == "Dear Ann")
  }

  /// Numbers whose types a later build has changed.
  private final class Numbers: Restorable {
    let restorationIdentifier: String? = "numbers"
    @Restored var zoom = 3
    @Restored var scroll = 2.0
    @Restored var page: Int? = 7
    @Restored var sizes = ["a": 1, "b": 2]
    @Restored var part = 0.5
    @Restored var count = 300
  }

  private final class LaterNumbers: Restorable {
    let restorationIdentifier: String? = "numbers"
    @Restored var zoom = 0.0
    @Restored var scroll = 0
    @Restored var page: Float? = 0
    @Restored var sizes: [String: Double] = [:]
    @Restored var part = 9
    @Restored var count: Int8 = 9
  }

  @Test("85: a restored property whose number type has changed converts if nothing is lost, and otherwise keeps its value")
  func convertsNumbers() throws {
    let archive = try RestorableTree.saved([Numbers()])
    let numbers = LaterNumbers()
    let report = try RestorableTree(roots: [numbers]).restore(from: archive, with: Resolver())
    #expect(numbers.zoom == 3 && numbers.scroll == 2 && numbers.page == 7 && numbers.sizes == ["a": 1, "b": 2])
    #expect(numbers.part == 9 && numbers.count == 9)
    #expect(report.node(at: "numbers")?.outcome == .failed)
  }

  @Test("a whole state can be one Codable value")
  func restoresWholeState() throws {
    let pane = SettingsPane()
    pane.restorableState = Settings(isDark: true, names: ["x", "y"])
    let archive = try RestorableTree.saved([pane])
    #expect(try archive.state("settings") == ["isDark": true, "names": ["x", "y"]])
    let next = SettingsPane()
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.restorableState == pane.restorableState)
  }
}
