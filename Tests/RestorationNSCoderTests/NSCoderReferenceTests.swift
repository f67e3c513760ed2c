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
