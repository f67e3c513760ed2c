import EngineKit
import Foundation
import PropertyKit

@testable import StateRestoration

/// A random history of an app whose changes are captured, compared after each step with a capture of everything.
final class ChangeHistory {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var random: SeededGenerator
  private let root = TrackedObject("root")
  private let delegate = Settings()
  private let application: RestorableTree
  /// Objects that were removed and may return.
  private var removed: [any Restorable] = []
  private var names = 0
  private var last: Snapshot?
  private var base: [UInt8] = []
  private var links: [[UInt8]] = []
  private var digest = ContentDigest(rawValue: 0)
  /// The number of captures of changes, and of everything.
  private(set) var counts = (changes: 0, everything: 0)
  /// The steps so far, for diagnosing failures.
  private(set) var log: [String] = []

  private final class Settings: RestorationDelegate {
    @Restored var theme = 0
  }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let root = root
    application = RestorableTree(roots: { [root] }, delegate: delegate)
    for _ in 0..<12 { add() }
  }

  /// Runs a history, and checks the chain after each capture.
  func run(steps: Int) throws {
    try application.startFresh()
    for step in 0..<steps {
      for _ in 0...random.below(3) { change() }
      try capture(step)
    }
  }

  private func capture(_ step: Int) throws {
    let header = ArchiveHeader(bundleVersion: "1", timestamp: Date(timeIntervalSinceReferenceDate: Double(step)))
    let preservation = try application.preserve(header: header, options: PreservationOptions(encodesOnlyChanges: true))
    let everything = RestorableTree(roots: [root], delegate: delegate)
    try everything.startFresh()
    guard let expected = try everything.preserve(header: header).archive.map({ [UInt8]($0) }), let snapshot = preservation.snapshot else {
      throw Failure(description: "nothing was captured")
    }
    if snapshot.changeCount > 0 { counts.changes += 1 } else { counts.everything += 1 }
    let captured = try snapshot.bytes()
    guard captured == expected else { throw try difference(step, captured, expected) }
    defer { last = snapshot }
    guard let last, snapshot.follows(last) else {
      (base, links, digest) = (expected, [], try snapshot.contentDigest)
      return
    }
    guard let link = try snapshot.link(after: last, digest) else {
      let known = ArchiveChain(base: base, links: links).bytes
      guard try ArchiveReader(known).contentDigest == ArchiveReader(expected).contentDigest else {
        throw Failure(description: "step \(step): a change was not captured")
      }
      return
    }
    links.append(link)
    digest = ContentDigest(ofArchive: Data(link)) ?? digest
    let chain = ArchiveChain(base: base, links: links)
    if let error = chain.error { throw Failure(description: "step \(step): \(error)") }
    guard chain.bytes == expected else { throw try difference(step, chain.bytes, expected) }
    guard links.count == 20 else { return }
    // As a store does when it has written the content as a new archive.
    snapshot.offerFolded(expected)
    (base, links, digest) = (expected, [], try ArchiveReader(expected).contentDigest)
  }

  private func difference(_ step: Int, _ found: [UInt8], _ expected: [UInt8]) throws -> Failure {
    let texts = try [found, expected].map { String(decoding: try ArchiveTree(decoding: ArchiveReader($0)).json(), as: UTF8.self) }
    return Failure(description: "step \(step): captured\n\(texts[0])\nand not\n\(texts[1])")
  }

  // MARK: Changes

  private var objects: [any Restorable] {
    var all: [any Restorable] = []
    var seen = IdentityTable()
    LiveWalk.visit([root], seen: &seen) { all.append($0) }
    return all
  }

  private func children(of object: any Restorable) -> [any Restorable] { object.restorationChildren }

  private func setChildren(_ children: [any Restorable], of object: any Restorable) {
    if let tracked = object as? TrackedObject { tracked.children = children }
    if let untracked = object as? UntrackedObject { untracked.children = children }
  }

  private func newName() -> String {
    names += 1
    // Few names, so that objects come back under the names of others.
    return random.oneIn(3) ? "n\(names)" : "n\(random.below(6))"
  }

  private func canTake(_ name: String?, _ parent: any Restorable) -> Bool {
    !children(of: parent).contains { $0.restorationIdentifier == name }
  }

  private func change() {
    switch random.below(12) {
    case 0, 1, 2: edit()
    case 3, 4: add()
    case 5: remove()
    case 6: move()
    case 7: shuffle()
    case 8: giveBack()
    case 9: rename()
    case 10: refer()
    default:
      log.append("theme")
      delegate.theme = random.below(3)
    }
  }

  private func edit() {
    let object = random.pick(objects)
    log.append("edit \(object.restorationIdentifier ?? "")")
    // Often the same number as before.
    let number = random.below(4)
    if let tracked = object as? TrackedObject { tracked.number = number }
    if let untracked = object as? UntrackedObject { untracked.number = number }
  }

  private func add() {
    let parent = random.pick(objects)
    let name = newName()
    guard canTake(name, parent) else { return }
    log.append("add \(name) to \(parent.restorationIdentifier ?? "")")
    let number = random.below(4)
    let child: any Restorable = random.oneIn(5) ? UntrackedObject(name, number: number) : TrackedObject(name, number: number)
    var siblings = children(of: parent)
    siblings.insert(child, at: random.below(siblings.count + 1))
    setChildren(siblings, of: parent)
  }

  private func take() -> (any Restorable)? {
    let parent = random.pick(objects)
    var siblings = children(of: parent)
    guard !siblings.isEmpty else { return nil }
    let child = siblings.remove(at: random.below(siblings.count))
    setChildren(siblings, of: parent)
    return child
  }

  private func remove() {
    guard let child = take() else { return }
    log.append("remove \(child.restorationIdentifier ?? "")")
    // One that is released gives its memory to the next one.
    if random.oneIn(2) { return }
    removed.append(child)
    if removed.count > 5 { removed.removeFirst() }
  }

  private func move() {
    guard let child = take() else { return }
    log.append("move \(child.restorationIdentifier ?? "")")
    put(child)
  }

  private func giveBack() {
    guard !removed.isEmpty else { return }
    let child = removed.remove(at: random.below(removed.count))
    log.append("return \(child.restorationIdentifier ?? "")")
    put(child)
  }

  private func put(_ child: any Restorable) {
    let parent = random.pick(objects)
    guard canTake(child.restorationIdentifier, parent) else { return removed.append(child) }
    var siblings = children(of: parent)
    siblings.insert(child, at: random.below(siblings.count + 1))
    setChildren(siblings, of: parent)
  }

  private func shuffle() {
    let parent = random.pick(objects)
    log.append("shuffle \(parent.restorationIdentifier ?? "")")
    setChildren(children(of: parent).shuffled(using: &random), of: parent)
  }

  private func rename() {
    let parent = random.pick(objects)
    let name = newName()
    guard let child = children(of: parent).first, canTake(name, parent) else { return }
    log.append("rename \(child.restorationIdentifier ?? "") to \(name)")
    if let tracked = child as? TrackedObject { tracked.restorationIdentifier = name }
    if let untracked = child as? UntrackedObject { untracked.restorationIdentifier = name }
  }

  private func refer() {
    let all = objects
    guard let source = random.pick(all) as? TrackedObject else { return }
    log.append("refer from \(source.restorationIdentifier ?? "")")
    source.target = random.oneIn(3) ? nil : random.pick(all)
  }
}
