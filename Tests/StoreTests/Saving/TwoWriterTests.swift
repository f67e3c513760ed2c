import EngineKit
import Foundation
import ProcessKit
import StateRestoration
import Locking
import Testing

/// Two processes never write one store, whatever happens to its folder and its lock (Behaviours 75).
@Suite struct TwoWriterTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.url("store").path }

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// The loss that the first process suffers.
  enum Loss: String, CaseIterable, Sendable {
    case folder, lock, movedFolder, replacedLock
  }

  private func take(_ loss: Loss) throws {
    let files = FileManager.default
    switch loss {
    case .folder: try files.removeItem(atPath: folder)
    case .lock: try files.removeItem(atPath: folder + "/lock")
    case .movedFolder: try files.moveItem(atPath: folder, toPath: folder + ".moved")
    case .replacedLock:
      try files.removeItem(atPath: folder + "/lock")
      try Data().write(to: URL(fileURLWithPath: folder + "/lock"))
    }
  }

  private func numbers() throws -> [Int?] {
    let store = try RestorationStore(folder: folder, access: .reading)
    return try store.generations().map { generation in
      let file = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(generation.fileName)"))
      return try SampleArchive.number(in: ArchiveReader(file))
    }
  }

  @Test("75: a process that lost its lock does not write while another one does, and continues afterwards", arguments: Loss.allCases)
  func oneWritesAtATime(_ loss: Loss) throws {
    let first = try RunningProcess("store-probe", ["hold", folder])
    #expect(first.readLine() == "ready")
    try first.writeLine("1")
    #expect(first.readLine() == "saved 1")
    try take(loss)
    let second = try RunningProcess("store-probe", ["hold", folder])
    #expect(second.readLine() == "ready")
    try second.writeLine("2")
    #expect(second.readLine() == "saved 2")
    let before = try numbers()
    for _ in 0..<2 {
      try first.writeLine("3")
      #expect(first.readLine()?.hasPrefix("store: in use by store-probe, process ") == true)
    }
    #expect(try numbers() == before)
    try second.writeLine("4")
    #expect(second.readLine() == "saved 4")
    second.signal(SIGKILL)
    _ = second.wait()
    try first.writeLine("5")
    #expect(first.readLine() == "saved 5")
    // The last save of the other process is an offer, and the one before it is still there.
    #expect(try numbers() == [5, 4, 2])
    #expect(try RestorationStore(folder: folder, access: .reading).offers().map(\.reason) == [.otherProcess])
    first.signal(SIGKILL)
    _ = first.wait()
  }

  @Test("a process that lost its folder or lock recreates them if no other process has", arguments: Loss.allCases)
  func makesTheLockAnew(_ loss: Loss) throws {
    let first = try RunningProcess("store-probe", ["hold", folder])
    #expect(first.readLine() == "ready")
    try first.writeLine("1")
    #expect(first.readLine() == "saved 1")
    try take(loss)
    try first.writeLine("2")
    #expect(first.readLine() == "saved 2")
    #expect(throws: StoreError.self) { try RestorationStore(folder: folder) }
    #expect(try numbers().first == 2)
    first.signal(SIGKILL)
    _ = first.wait()
  }

  @Test("if the lock is taken while a save is written, the save's file is not renamed into place", arguments: [false, true])
  func noticesAtTheLastMoment(_ isStillThere: Bool) throws {
    let disk = SimulatedDisk()
    let other = Lock<RestorationStore?>(nil)
    let system = FaultySystem(
      disk,
      willOpen: { path in
        guard path.hasSuffix("writing-application.0000000002.rsta"), other.withLock({ $0 == nil }) else { return }
        disk.state.withLock { $0.names["lock"] = nil }
        let store = try? FaultTests.store(FaultySystem(disk))
        _ = try? store?.save(SampleArchive.bytes(50))
        other.withLock { $0 = store }
        if !isStillThere { store?.endLaunch() }
      })
    let store = try FaultTests.store(system)
    try store.save(SampleArchive.bytes(1))
    if isStillThere {
      let error = #expect(throws: StoreError.self) { try store.save(SampleArchive.bytes(2)) }
      guard case .inUse? = error else { return #expect(Bool(false), "\(String(describing: error))") }
      #expect(try store.load().number == 50)
    } else {
      try store.save(SampleArchive.bytes(2))
      #expect(try store.load().number == 2)
    }
    let numbers = disk.state.withLock { state in
      state.names.filter { Generation(fileName: $0.key) != nil }.compactMap { name, index in
        (try? ArchiveReader(state.contents[index].bytes)).flatMap { try? SampleArchive.number(in: $0) }
      }
    }
    // What the other process has saved is an offer.
    #expect(numbers.sorted() == (isStillThere ? [1, 50] : [1, 2, 50]))
  }

  @Test("every change to the folder is refused while another process holds it")
  func refusesEveryChange() throws {
    let store = try RestorationStore(folder: folder)
    _ = try store.beginLaunch(bundleVersion: "1")
    for number in 1...2 { try store.save(SampleArchive.bytes(number)) }
    let old = try #require(store.load().archive)
    try take(.folder)
    let other = try RunningProcess("store-probe", ["hold", folder])
    #expect(other.readLine() == "ready")
    for number in 3...4 {
      try other.writeLine("\(number)")
      #expect(other.readLine() == "saved \(number)")
    }
    try Data("text".utf8).write(to: URL(fileURLWithPath: folder + "/application.0000000009.rsta"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let scene = try #require(ArchiveName.scene("x"))
    let changes: [() throws -> Void] = [
      { try store.save(SampleArchive.bytes(9)) }, { try store.save(SampleArchive.bytes(2)) }, { try store.remove(.application) },
      { try store.remove(scene) }, { try store.forget() }, { try store.decline(old.generation) }, { _ = try store.use(1) },
      { _ = try store.release("root") },
    ]
    for (index, change) in changes.enumerated() {
      let error = #expect(throws: StoreError.self, "\(index)") { try change() }
      guard case .inUse? = error else {
        Issue.record("\(index): \(String(describing: error))")
        continue
      }
    }
    // Calls that cannot throw change nothing.
    _ = try store.load()
    _ = try store.beginLaunch(bundleVersion: "2")
    store.markStable()
    store.endLaunch()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
    other.signal(SIGKILL)
    _ = other.wait()
  }
}
