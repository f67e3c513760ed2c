import EngineKit
import Foundation
import Locking
import PropertyKit
import Testing

@testable import StateRestoration

/// Saving what has changed after the archive of a generation.
@Suite struct LinkTests {
  private func store(
    _ disk: SimulatedDisk, links: Int = 64, willFold: @escaping @Sendable () -> Void = {},
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws -> RestorationStore {
    try RestorationStore(
      StoreFolder(path: "/store", system: FaultySystem(disk)), limits: StoreLimits(links: links),
      linkPolicy: LinkPolicy(foldsConcurrently: false, isEager: true, willFold: willFold), isReachable: isReachable)
  }

  private func links(_ disk: SimulatedDisk) -> [GenerationFile] {
    disk.names.compactMap { GenerationFile(fileName: $0) }.filter(\.isLink).sorted()
  }
  private func generations(_ disk: SimulatedDisk) -> [UInt64] { disk.names.compactMap { Generation(fileName: $0) }.map(\.number).sorted() }

  /// A disk with an archive of the sample 1 and links to the samples 2 to `last`.
  private func disk(_ last: Int) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try store(disk)
    for number in 1...last { _ = try store.save(SampleArchive.bytes(number)) }
    return disk.afterProcessDeath()
  }

  @Test("after its first save, a process adds what has changed to the generation")
  func addsLinks() throws {
    let disk = try disk(4)
    #expect(generations(disk) == [1])
    #expect(links(disk).map(\.place) == [1, 2, 3])
    let store = try store(disk)
    let load = try store.load()
    #expect(try load.number == 4)
    #expect(load.archive?.lostLinks == nil)
    // The first save of the next process is of everything.
    _ = try store.save(SampleArchive.bytes(5))
    #expect(generations(disk) == [1, 2])
    #expect(links(disk).map(\.generation) == [1, 1, 1])
    _ = try store.save(SampleArchive.bytes(6))
    #expect(links(disk).map(\.generation) == [1, 1, 1, 2])
    // The third generation takes the place of the first, which goes with all its links.
    let third = try self.store(disk.afterProcessDeath())
    _ = try third.save(SampleArchive.bytes(7))
    let last = try #require((third.folder.system as? FaultySystem)?.disk)
    #expect(generations(last) == [2, 3])
    #expect(links(last).map(\.generation) == [2])
  }

  @Test("the chain gives the bytes of the save, and unchanged content writes nothing")
  func givesTheSameBytes() throws {
    let disk = SimulatedDisk()
    let store = try store(disk)
    let time = Date(timeIntervalSinceReferenceDate: 7)
    for number in 1...3 { _ = try store.save(SampleArchive.bytes(number, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)))) }
    let generation = try #require(try store.generations().first)
    #expect(disk.content(of: generation) == (try SampleArchive.bytes(3, timestamp: Date(timeIntervalSinceReferenceDate: 3))))
    let outcome = try store.save(SampleArchive.bytes(3, timestamp: time), now: time)
    #expect(outcome == .unchanged && store.currentNumber() == generation.number)
    #expect(links(disk).count == 2)
    #expect(try store.load().archive?.confirmedAt == time)
  }

  @Test("a small archive is written as a whole, and so is one whose every part has changed")
  func writesWholeWhereLinksSaveNothing() throws {
    let disk = SimulatedDisk()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)))
    for number in 1...3 { _ = try store.save(SampleArchive.bytes(number)) }
    #expect(links(disk).isEmpty)
    for text in ["a", "b"] {
      let nodes = (0..<200).map { ArchiveNode("\($0)", state: ["text": .string(String(repeating: text, count: 100))]) }
      _ = try store.save([UInt8](ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: nodes).encoded()))
    }
    #expect(links(disk).isEmpty)
    #expect(generations(disk) == [4, 5])
  }

  enum Harm: CaseIterable { case damaged, truncated, missing, unreadable }

  @Test("a link that cannot be used costs itself and those that follow it, and the report says so", arguments: Harm.allCases)
  func losesTheLastSaves(_ harm: Harm) throws {
    let disk = try disk(6)
    let harmed = links(disk)[3].fileName
    var bytes = try #require(disk.content(of: harmed))
    switch harm {
    case .damaged: bytes[bytes.count / 2] ^= 1
    case .truncated: bytes.removeLast(7)
    case .missing: break
    case .unreadable: bytes = [UInt8](repeating: 0, count: 1 << 18)
    }
    if harm == .missing {
      try FaultySystem(disk).remove("/store/\(harmed)")
      try FaultySystem(disk).flushFolder("/store")
    } else {
      disk.setContent(of: harmed, to: bytes)
    }
    let store = try store(disk)
    let load = try store.load()
    #expect(try load.number == 4)
    let lost = try #require(load.archive?.lostLinks)
    #expect(lost.files.count == (harm == .missing ? 1 : 2))
    #expect(load.candidates.first?.description.contains("the last 2 saves (from \(lost.files[0]) on) cannot be used: ") == true)
    // The files are kept: another program may still read them.
    _ = try store.save(SampleArchive.bytes(7))
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
    #expect(links(disk).count == (harm == .missing ? 4 : 5))
    #expect(try store.load().number == 7)
  }

  @Test("at most nine links lead to any save, and the last save that damage leaves is restored", arguments: 1...20)
  func restoresTheLastSaveLeft(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 1...63, using: &random)
    let disk = try disk(count + 1)
    #expect(links(disk).map(\.place) == Array(1...count))
    var damaged: Set<Int> = []
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let link = links(disk)[Int.random(in: 0..<count, using: &random)]
      guard damaged.insert(link.place).inserted, var bytes = disk.content(of: link.fileName) else { continue }
      bytes[bytes.count / 2] ^= 1
      disk.setContent(of: link.fileName, to: bytes)
    }
    func way(to place: Int) -> [Int] { place == 0 ? [] : way(to: GenerationFile(.application, 1, place).placeBefore) + [place] }
    let left = (0...count).last { damaged.isDisjoint(with: way(to: $0)) } ?? 0
    #expect(way(to: left).count <= 9)
    let archive = try #require(try store(disk).load().archive)
    #expect(try store(disk).load().number == left + 1, "seed \(seed): \(damaged.sorted()) of \(count)")
    #expect(archive.linkCount == left)
    #expect((archive.lostLinks?.files.count ?? 0) == count - left, "seed \(seed)")
  }

  @Test("links that each follow the last one are read too")
  func readsLinksInARow() throws {
    let disk = try disk(6)
    var last = try #require(ContentDigest(ofArchive: Data(SampleArchive.bytes(1))))
    for (number, link) in zip(2..., links(disk)) {
      let bytes = try ArchiveLink.make(from: SampleArchive.bytes(number - 1), to: SampleArchive.bytes(number), after: last)
      disk.setContent(of: link.fileName, to: bytes)
      last = try #require(ContentDigest(ofArchive: Data(bytes)))
    }
    let archive = try #require(try store(disk).load().archive)
    #expect(try store(disk).load().number == 6 && archive.linkCount == 5 && archive.lostLinks == nil)
  }

  @Test("of long contents that share nothing, only the last one is kept for the next link", arguments: [1 << 20, 1 << 25])
  func keepsContents(_ byteCount: Int) throws {
    let digest = ContentDigest(rawValue: 1)
    var chain = WrittenChain(byteCount: byteCount, digest: digest, try Snapshot(SampleArchive.bytes(1)))
    for place in 1...3 { chain.add([], as: GenerationFile(.application, 1, place), try Snapshot(SampleArchive.bytes(place))) }
    #expect(chain.end(before: GenerationFile(.application, 1, 4)).place == (byteCount == 1 << 20 ? 0 : 3))
  }

  @Test("a damaged archive of a generation is set aside with its links, and the generation before it is restored")
  func fallsBackToTheGenerationBefore() throws {
    let disk = try disk(3)
    let next = try store(disk)
    for number in 4...6 { _ = try next.save(SampleArchive.bytes(number)) }
    let left = disk.afterProcessDeath()
    left.setContent(of: Generation(.application, 2).fileName, to: [1, 2, 3])
    let load = try store(left).load()
    #expect(try load.number == 3)
    #expect(load.candidates.count == 2)
  }

  @Test("long chains are folded into a generation of their own")
  func foldsLongChains() throws {
    let disk = SimulatedDisk()
    let store = try store(disk, links: 3)
    for number in 1...4 { _ = try store.save(SampleArchive.bytes(number)) }
    // Two generations that share no file.
    #expect(generations(disk) == [1, 2])
    #expect(links(disk).map(\.generation) == [1, 1, 1])
    #expect(try store.load().number == 4)
    #expect(disk.content(of: Generation(.application, 2).fileName) == (try SampleArchive.bytes(4)))
    for number in 5...7 { _ = try store.save(SampleArchive.bytes(number)) }
    #expect(generations(disk) == [2, 3])
    #expect(links(disk).map(\.generation) == [2, 2, 2])
    #expect(try self.store(disk.afterProcessDeath()).load().number == 7)
  }

  /// A store with a generation of three samples on `disk`, which is folded by the next save; `late` is called between the
  /// reading and the writing of the content to fold.
  private func foldingStore(_ disk: SimulatedDisk, late: @escaping @Sendable (RestorationStore) -> Void) throws -> RestorationStore {
    let actions = Lock<[@Sendable () -> Void]>([])
    let store = try store(disk, links: 3) {
      let act = actions.withLock { actions in actions.isEmpty ? {} : actions.removeFirst() }
      act()
    }
    for number in 1...3 { _ = try store.save(SampleArchive.bytes(number)) }
    actions.withLock { actions in actions = [{ [unowned store] in late(store) }] }
    return store
  }

  @Test("what is saved while a chain is folded follows the new archive")
  func keepsWhatIsSavedMeanwhile() throws {
    let disk = SimulatedDisk()
    let store = try foldingStore(disk) { store in
      for number in [5, 6] { _ = try? store.save(SampleArchive.bytes(number)) }
    }
    _ = try store.save(SampleArchive.bytes(4))
    #expect(generations(disk) == [1, 2])
    #expect(links(disk).map(\.generation) == [1, 1, 1, 1, 1, 2])
    #expect(disk.content(of: Generation(.application, 2).fileName) == (try SampleArchive.bytes(4)))
    #expect(try store.load().number == 6)
    _ = try store.save(SampleArchive.bytes(7))
    #expect(try self.store(disk.afterProcessDeath()).load().number == 7)
  }

  @Test("a chain removed while it is folded stays removed, even if a new one has its number", arguments: [5...5, 5...9])
  func dropsWhatIsRemovedMeanwhile(_ numbers: ClosedRange<Int>) throws {
    for isOfEverything in [false, true] { try dropWhatIsRemoved(numbers, isOfEverything) }
  }

  private func dropWhatIsRemoved(_ numbers: ClosedRange<Int>, _ isOfEverything: Bool) throws {
    let disk = SimulatedDisk()
    let store = try foldingStore(disk) { store in
      do {
        if isOfEverything { try store.forget() } else { try store.remove(.application) }
        for number in numbers { _ = try store.save(SampleArchive.bytes(number)) }
      } catch {
        Issue.record(error)
      }
    }
    _ = try store.save(SampleArchive.bytes(4))
    #expect(try store.load().number == numbers.upperBound)
    _ = try store.save(SampleArchive.bytes(10))
    let next = try self.store(disk.afterProcessDeath())
    #expect(try next.load().number == 10)
    #expect(try next.load().archive?.lostLinks == nil)
  }

  @Test("links of a generation that is gone are not taken for those of another one")
  func ignoresOrphans() throws {
    let disk = try disk(3)
    try FaultySystem(disk).remove("/store/\(Generation(.application, 1).fileName)")
    try FaultySystem(disk).flushFolder("/store")
    let store = try store(disk)
    #expect(try store.load().number == nil)
    _ = try store.save(SampleArchive.bytes(1))
    #expect(generations(disk) == [2])
    // They may be the only copy of what was saved last.
    #expect(links(disk).map(\.generation) == [1, 1])
    #expect(try store.load().number == 1)
  }

  @Test("links of a newest generation that is gone stay until the archive has two newer ones, and a launch names it")
  func keepsNewestOrphans() throws {
    let disk = try disk(3)
    do {
      let store = try store(disk)
      for number in 4...5 { _ = try store.save(SampleArchive.bytes(number)) }
    }
    let newest = try #require(links(disk).last)
    #expect(newest.generation == 2)
    try FaultySystem(disk).remove("/store/\(newest.base.fileName)")
    try FaultySystem(disk).flushFolder("/store")
    let store = try store(disk, links: 0)
    let launch = try store.restore(RestorableTree(), with: Resolver(), isolation: nil)
    #expect(launch.summary.contains("; of generation 2, which is newer, only links are left"), "\(launch)")
    _ = try store.save(SampleArchive.bytes(6), as: #require(.scene("other")))
    _ = try store.save(SampleArchive.bytes(6))
    #expect(links(disk).contains(newest), "another archive's save, and the first of this one, keep them")
    _ = try store.save(SampleArchive.bytes(7))
    #expect(!links(disk).contains(newest))
  }

  @Test("removing an archive removes its links")
  func removesLinks() throws {
    let disk = SimulatedDisk()
    let store = try store(disk)
    for number in 1...3 { _ = try store.save(SampleArchive.bytes(number)) }
    try store.remove(.application)
    #expect(generations(disk).isEmpty && links(disk).isEmpty)
    for number in 4...5 { _ = try store.save(SampleArchive.bytes(number)) }
    try store.forget()
    #expect(generations(disk).isEmpty && links(disk).isEmpty)
  }

  @Test("the first save after a pin is of everything")
  func writesWholeAfterAPin() throws {
    let disk = SimulatedDisk()
    let store = try store(disk)
    for number in 1...3 { _ = try store.save(SampleArchive.bytes(number)) }
    store.pin(try #require(try store.generations().first))
    _ = try store.save(SampleArchive.bytes(4))
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
    #expect(disk.content(of: Generation(.application, 1, .pinned)) == (try SampleArchive.bytes(3)))
  }

  @Test("file names of links are read as they are written, and no others")
  func readsNames() throws {
    for name in ["application.0000000042.link-0001.rsta", "application.0000000042.link-0128.rsta"] {
      #expect(GenerationFile(fileName: name)?.fileName == name)
      #expect(Generation(fileName: name) == nil)
      #expect(StoreFileName.isOwn(name))
    }
    for name in [
      "application.42.link-0001.rsta", "application.0000000042.link-1.rsta", "application.0000000042.link-0000.rsta",
      "application.0000000042.link-0129.rsta", "application.0000000042.link-9223372036854775807.rsta",
    ] {
      #expect(GenerationFile(fileName: name) == nil)
    }
  }
}
