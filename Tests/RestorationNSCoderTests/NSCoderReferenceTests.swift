import Foundation
import RestorationNSCoder
import Testing

private final class Pane: NSObject, NSCoderRestorable {
  let restorationIdentifier: String?
  var detail: AnyObject?
  var pinned: [AnyObject] = []

  init(_ identifier: String) { restorationIdentifier = identifier }

  func encodeRestorableState(with coder: NSCoder) {
    coder.encode(detail, forKey: "detail")
    coder.encode(pinned, forKey: "pinned")
  }
  func decodeRestorableState(with coder: NSCoder) {
    detail = coder.decodeObject(forKey: "detail") as AnyObject?
    pinned = (coder.decodeObject(forKey: "pinned") as? NSArray).map { $0.map { $0 as AnyObject } } ?? []
  }
}

/// An object of a plug-in that comes after the launch.
private final class Plugin: NSObject, NSCoderRestorable {
  static var restorationType: String? { "Plugin" }
  let restorationIdentifier: String? = "plugin"
  func encodeRestorableState(with coder: NSCoder) {}
  func decodeRestorableState(with coder: NSCoder) {}
}

/// An object with one value of any class.
private final class Holder: NSObject, NSCoderRestorable {
  let restorationIdentifier: String? = "holder"
  var list: AnyObject?
  func encodeRestorableState(with coder: NSCoder) { coder.encode(list, forKey: "list") }
  func decodeRestorableState(with coder: NSCoder) { list = coder.decodeObject(forKey: "list") as AnyObject? }
}

/// References that an app of UIKit or AppKit encodes as objects.
@Suite struct NSCoderReferenceTests {
  @Test("a reference that an NSCoder decoded as nil, because its target waits, is saved again")
  func waitingReferences() throws {
    let archive = ArchiveTree(
      nodes: [
        ArchiveNode("pane", state: ["detail": .reference("plugin"), "pinned": [.reference("plugin"), "text"]]),
        ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
      ])
    let tree = RestorableTree(roots: [Pane("pane")])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    let saved = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    #expect(try saved.node(at: "plugin")?.state() == ["x": 1])
    #expect(try saved.node(at: "pane")?.state()["detail"] == .reference("plugin"))
    #expect(try saved.node(at: "pane")?.state()["pinned"] == [.reference("plugin"), "text"])
  }

  @Test("a reference that waited, and that the app has added itself since, is stored once, and not any more once it is removed")
  func addedByTheApp() throws {
    let archive = ArchiveTree(
      nodes: [
        ArchiveNode("pane", state: ["detail": .null, "pinned": ["text", .reference("plugin")]]),
        ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
      ])
    let pane = Pane("pane")
    let tree = RestorableTree(roots: [pane])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    func pinned() throws -> ArchiveValue? {
      try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive)).node(at: "pane")?.state()["pinned"]
    }
    #expect(try pinned() == ["text", .reference("plugin")])
    let plugin = Plugin()
    tree.register(plugin)
    #expect(try pinned() == ["text", .reference("plugin")])
    pane.pinned.append(plugin)
    #expect(try pinned() == ["text", .reference("plugin")])
    pane.pinned.removeLast()
    #expect(try pinned() == ["text"])
    withExtendedLifetime(plugin) {}
  }

  @Test("a list whose references wait is stored as it was, also in place of nil, and can be decoded", arguments: 0..<4)
  func waitingList(_ number: Int) throws {
    let elements: ArchiveValue = [.reference("plugin"), "text", .reference("plugin/other")]
    let names = ["NSMutableArray", "NSOrderedSet", "NSMutableOrderedSet"]
    func list(_ elements: ArchiveValue) -> ArchiveValue {
      number == 3 ? elements : .dictionary(["$class": .string(names[number]), "elements": elements])
    }
    let archive = ArchiveTree(
      nodes: [
        ArchiveNode("holder", state: ["list": list(elements)]),
        ArchiveNode("plugin", type: "Plugin", children: [ArchiveNode("other", type: "Plugin")]),
      ])
    let holder = Holder()
    let tree = RestorableTree(roots: [holder])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    func saved() throws -> ArchiveReader { try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive)) }
    #expect(try saved().node(at: "holder")?.state()["list"] == list(elements))
    holder.list = nil
    let next = try saved()
    #expect(try next.node(at: "holder")?.state()["list"] == list([.reference("plugin"), .reference("plugin/other")]))
    let decoded = Holder()
    _ = try RestorableTree(roots: [decoded]).restore(from: next, with: Resolver())
    #expect(decoded.list != nil)
    // Another value takes the place of the list.
    holder.list = NSString(string: "text")
    #expect(try saved().node(at: "holder")?.state()["list"] == "text")
    holder.list = nil
    #expect(try saved().node(at: "holder")?.state()["list"] == .null)
  }

  @Test("an element of a subclass of one of a property list's classes needs no mention either")
  func mutableElements() throws {
    let archive = try saved(["k": [["$class": "NSMutableString", "string": "a"]]])
    #expect(try archive.decode { $0.decodeObject(of: [NSArray.self], forKey: "k") as? NSArray } == ["a"])
  }

  @Test("the later of two values that an object of the app encodes under one key wins, as in a node's state")
  func keyEncodedTwice() throws {
    final class Twice: NSObject, NSSecureCoding {
      static var supportsSecureCoding: Bool { true }
      var text: String
      init(_ text: String) { self.text = text }
      func encode(with coder: NSCoder) {
        coder.encode("superclass", forKey: "text")
        coder.encode(text, forKey: "text")
      }
      init?(coder: NSCoder) { text = coder.decodeObject(of: NSString.self, forKey: "text") as String? ?? "" }
    }
    final class Holder: NSObject, NSCoderRestorable {
      static var restorableClasses: ObjectClasses { ["Twice": Twice.self] }
      let restorationIdentifier: String? = "holder"
      var twice: Twice?
      func encodeRestorableState(with coder: NSCoder) { coder.encode(twice, forKey: "twice") }
      func decodeRestorableState(with coder: NSCoder) { twice = coder.decodeObject(of: Twice.self, forKey: "twice") }
    }
    let holder = Holder()
    holder.twice = Twice("own")
    let tree = RestorableTree(roots: [holder])
    try tree.startFresh()
    let saved = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    let next = Holder()
    _ = try RestorableTree(roots: [next]).restore(from: saved, with: Resolver())
    #expect(next.twice?.text == "own")
  }
}
