import Foundation
import ProcessKit
import StateRestoration
import Testing

/// What a launch notes of itself, and what the next one makes of it (BEHAVIOURS 30, 46, 47).
///
/// A store that is let go without ``RestorationStore/endLaunch()`` is what a process leaves that dies.
@Suite struct LaunchingTests {
  private let temporary: TemporaryFolder
  private let isReachable = Switch()

  init() throws {
    temporary = try TemporaryFolder()
    isReachable.isOn = true
  }

  private func store() throws -> RestorationStore {
    let isReachable = isReachable
    return try RestorationStore(folder: temporary.url("store").path, isReachable: { isReachable.isOn })
  }

  // MARK: Launches that begin before the files can be reached

  @Test("a launch that began before the files could be reached learns why it restores, and begins once")
  func beginsByItself() throws {
    do {
      let store = try store()
      _ = try store.beginLaunch(bundleVersion: "1")
      try store.save(SampleArchive.bytes(1))
    }
    isReachable.isOn = false
    let store = try store()
    let delegate = Asked()
    let application = RestorableApplication(delegate: delegate)
    for _ in 1...2 { #expect(try store.beginLaunch(bundleVersion: "1") == .launch) }
    _ = try store.restore(application, with: Resolver {})
    #expect(application.condition == .pending)
    isReachable.isOn = true
    _ = try store.restore(application, with: Resolver {})
    #expect(delegate.reasons == [.recover])
    // Asked again, it is the same launch, and no death of this process.
    #expect(try store.beginLaunch(bundleVersion: "1") == .recover)
    guard case .restore = try store.plan().action else {
      Issue.record("begun twice")
      return
    }
    store.endLaunch()
    #expect(try store.beginLaunch(bundleVersion: "1") == .launch)
  }

  @Test("a launch that began before the files could be reached begins with a save too, and ends in good order", arguments: [false, true])
  func beginsBySaving(_ isHeld: Bool) throws {
    isReachable.isOn = false
    let store = try store()
    #expect(try store.beginLaunch() == .launch)
    if isHeld { #expect(try store.save(SampleArchive.bytes(1)) == .held) }
    isReachable.isOn = true
    if isHeld { #expect(try store.writeHeld() == 1) } else { try store.save(SampleArchive.bytes(1)) }
    #expect(try store.beginLaunch() == .pristine)
    store.endLaunch()
    #expect(try store.beginLaunch() == .launch)
  }

  @Test("a launch that ends before the files can be reached does not begin any more")
  func endsBeforeItBegins() throws {
    isReachable.isOn = false
    let store = try store()
    _ = try store.beginLaunch()
    store.endLaunch()
    isReachable.isOn = true
    try store.save(SampleArchive.bytes(1))
    #expect(try store.beginLaunch() == .pristine)
  }

  @Test("where a launch cannot begin, whatever call fails, nothing is restored, and it begins the next time", arguments: [EIO, ENOSPC])
  func beginsInTheEnd(_ code: Int32) throws {
    func launch(_ system: FaultySystem) throws -> (RestorationStore, Int) {
      let isReachable = Switch()
      let store = try RestorationStore(StoreFolder(path: "/store", system: system), isReachable: { isReachable.isOn })
      _ = try store.beginLaunch()
      isReachable.isOn = true
      _ = try? store.load()
      return (store, system.callCount)
    }
    func disk() throws -> SimulatedDisk {
      let disk = SimulatedDisk()
      let store = try FaultTests.store(FaultySystem(disk))
      _ = try store.beginLaunch()
      try store.save(SampleArchive.bytes(1))
      return disk.afterProcessDeath()
    }
    for call in try 1...launch(FaultySystem(disk())).1 {
      let (store, _) = try launch(FaultySystem(disk(), fault: .error(code), at: call))
      #expect(try store.load().number == 1, "call \(call)")
      // That the process before has died is not known if it cannot be read.
      #expect(try store.beginLaunch() != .pristine, "call \(call)")
      store.endLaunch()
      #expect(try store.beginLaunch() == .launch, "call \(call)")
    }
  }
}

/// A delegate that notes why it is asked.
private final class Asked: RestorationDelegate {
  var reasons: [RestorationReason] = []

  func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision {
    reasons.append(launch.reason)
    return .restore
  }
}
