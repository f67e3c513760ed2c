#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// The front door: an app that comes back where its user left it, and saves by itself.
///
///     let restoration = try AppRestoration("org.example.notes", version: "42", roots: { app.windows }, delegate: app) {
///       Factory(NotesWindow.self) { node in app.open(NotesWindow(node.identifier)) }
///     }
///     let launch = try restoration.launch()  // restored before the first frame
///     await app.run()                        // changes are saved by themselves
///     await restoration.end()
///
/// ``launch(_:isolation:)`` restores what was saved last. From then on a change of a ``Restored`` property or of an ``ObservableRestorable`` object leads to
/// a save, 0.5 s after the last change and at most 5 s after the first; for other changes the app calls ``setNeedsSave()``. The state is
/// captured on the app's actor and written on another thread. SIGTERM, SIGHUP and SIGINT save before they end the process.
///
/// An app that keeps its actor busy, such as a loop around `readLine`, calls ``turn()`` before it waits.
///
/// It belongs to the actor on which it is created and to the objects of that actor. It is made of an ``ApplicationLifecycle``, which decides
/// when, a ``RestorationStore`` and its ``SaveQueue``, and a ``RestorableApplication`` for the app and for each ``AppScene``; all of them can
/// be used by themselves.
public final class AppRestoration {
  /// The settings.
  public let configuration: AppConfiguration
  /// Where the archives are.
  public let store: RestorationStore
  /// The app as a whole.
  public let application: RestorableApplication
  /// The rules by which objects are made.
  public let resolver: Resolver
  /// Why the last save or restoration that nobody waited for failed; nil after one that worked.
  public internal(set) var lastError: (any Error)?
  /// Called on the app's actor when SIGTSTP is about to stop the process, unless the actor is blocked.
  public var onSuspend: (() -> Void)?
  /// Called on the app's actor when the process runs again after SIGTSTP.
  public var onResume: (() -> Void)?
  /// The scenes that are open, in the order in which they were opened.
  public internal(set) var scenes: [AppScene] = []

  let queue: SaveQueue
  let clock: AppClock
  let changes: PendingChanges
  let inputs: AsyncStream<AppInput>
  let input: AsyncStream<AppInput>.Continuation
  let writing: DelayedWriting
  let watch: ActorWatch
  let failures = SaveFailures()
  var lifecycle: ApplicationLifecycle
  /// Whether the app waits in calls that block, so that it is captured at the end of each turn.
  var isBlocking = false
  /// What came of restoring each open archive.
  var results: [ArchiveName: Result<StoreRestoration, any Error>] = [:]
  var timer: (time: Duration, task: Task<Void, Never>)?
  var signals: ProcessSignals?
  var signalsOfChanges: [ArchiveName: ChangeSignal] = [:]
  private var consumer: Task<Void, Never>?

  /// Opens the store of an app; nothing is restored yet.
  ///
  /// - Parameters:
  ///   - bundleIdentifier: The identifier of the app, such as `org.example.notes`.
  ///   - version: The build that runs.
  ///   - roots: The objects of the topmost level; called at each save and while the app is restored.
  ///   - delegate: Decides for the app as a whole, and has its state.
  ///   - registrations: The factories, aliases, tombstones and upgrades.
  /// - Throws: ``StoreError/inUse(by:)`` if another process has the store, such as a second instance of the app; ``ResolverError`` with all
  ///   mistakes of the registrations; ``StoreError/system(_:)``.
  public convenience init(
    _ bundleIdentifier: String, version: String? = nil, roots: @escaping () -> [any Restorable],
    delegate: (any RestorationDelegate)? = nil,
    @ResolverBuilder _ registrations: () throws -> ResolverBuilder.Part = { ResolverBuilder.Part() }
  ) throws {
    try self.init(
      AppConfiguration(bundleIdentifier: bundleIdentifier, bundleVersion: version), roots: roots, delegate: delegate, registrations)
  }

  /// Opens the store of an app with other settings; nothing is restored yet.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock that measures delays; not the time of day.
  ///   - roots: The objects of the topmost level; called at each save and while the app is restored.
  ///   - delegate: Decides for the app as a whole, and has its state.
  ///   - registrations: The factories, aliases, tombstones and upgrades.
  /// - Throws: As the other initializer.
  public init(
    _ configuration: AppConfiguration, clock: some Clock<Duration> = ContinuousClock(), roots: @escaping () -> [any Restorable],
    delegate: (any RestorationDelegate)? = nil,
    @ResolverBuilder _ registrations: () throws -> ResolverBuilder.Part = { ResolverBuilder.Part() }
  ) throws {
    self.configuration = configuration
    resolver = try Resolver(registrations)
    application = RestorableApplication(roots: roots, delegate: delegate)
    let appClock = AppClock(clock)
    self.clock = appClock
    store = try Self.openStore(configuration)
    queue = SaveQueue(store: store)
    writing = DelayedWriting(queue: queue, clock: appClock, timing: configuration.timing)
    lifecycle = ApplicationLifecycle(timing: configuration.timing)
    let (inputs, input) = AsyncStream.makeStream(of: AppInput.self)
    (self.inputs, self.input) = (inputs, input)
    let watch = ActorWatch(clock: appClock, patience: configuration.timing.longestSaveDelay, report: configuration.reportProblem)
    self.watch = watch
    changes = PendingChanges(time: { appClock.now }) {
      watch.expectAnswer()
      input.yield(.changes)
    }
  }

  private static func openStore(_ configuration: AppConfiguration) throws -> RestorationStore {
    guard configuration.hasUsableIdentifier || configuration.folder != nil else {
      throw RestorationError(.wrongTime, "the bundle identifier \(configuration.bundleIdentifier.quotedForDisplay) cannot name a folder")
    }
    if configuration.isStorageAvailable() { try makeFolders(configuration) }
    return try RestorationStore(
      folder: configuration.folderPath, launch: configuration.launchOptions, limits: configuration.limits,
      isReachable: configuration.isStorageAvailable)
  }

  /// Makes the folders above the store.
  private static func makeFolders(_ configuration: AppConfiguration) throws(StoreError) {
    do throws(FileSystemError) {
      try StateFolder.makeAncestors(of: configuration.folderPath)
    } catch {
      throw .system(error)
    }
  }

  deinit {
    for signal in signalsOfChanges.values { UnclaimedChanges.remove(signal) }
    timer?.task.cancel()
    consumer?.cancel()
    input.finish()
  }

  // MARK: Launching

  /// Restores the app as a whole, and begins to save by itself.
  ///
  /// It returns when everything is decoded, so that the first frame can be right.
  ///
  /// - Parameters:
  ///   - place: Whether the user sees the app.
  ///   - isolation: The actor of the app's objects. On none, nothing is saved by itself: call ``turn()`` or ``saveNow()``.
  /// - Returns: What was restored and why, and what is offered.
  /// - Throws: ``StoreError``; ``RestorationError`` if it was called before.
  @discardableResult
  public func launch(
    _ place: LifecycleEvent.Place = .foreground, isolation: isolated (any Actor)? = #isolation
  ) throws -> AppLaunch {
    guard lifecycle.phase == .notRunning else { throw RestorationError(.wrongTime, "an app is launched once") }
    if !configuration.isStorageAvailable() { handle(.storage(isAvailable: false)) }
    handle(.launched(place, restoresState: configuration.restoresState))
    let launch = try open(.application, application)
    if isolation == nil { watch.stop() } else { consume(isolation: isolation) }
    if configuration.handlesSignals { signals = ProcessSignals(self) }
    return launch
  }

  /// Opens an archive: that of the app, or that of a scene.
  func open(_ archive: ArchiveName, _ application: RestorableApplication) throws -> AppLaunch {
    let signal = ChangeSignal { [changes] isClaimed in changes.add(archive, isClaimed: isClaimed) }
    application.changes = ChangeTracking(signal: signal)
    signalsOfChanges[archive] = signal
    UnclaimedChanges.use()
    // A scene that was put away, or closed, a moment ago: what is to be written or removed comes first.
    if queue.unfinishedRequest(of: archive) != nil { queue.commitWaiting() }
    handle(.opened(archive))
    // What is made while it is restored is no change.
    UnclaimedChanges.add(signal)
    return AppLaunch(try results[archive]?.get(), reason: try store.beginLaunch(), application)
  }

  /// Ends what ``open(_:_:)`` began.
  func forget(_ archive: ArchiveName) {
    if let signal = signalsOfChanges.removeValue(forKey: archive) { UnclaimedChanges.remove(signal) }
    results[archive] = nil
  }

  /// Carries out what comes from other threads, on the actor of the app.
  private func consume(isolation: isolated (any Actor)?) {
    consumer = Task { [weak self, inputs] in
      _ = isolation
      for await input in inputs {
        guard let self else { return }
        self.carryOut(input)
      }
    }
  }

  func carryOut(_ input: AppInput) {
    watch.noteAnswer()
    switch input {
    case .changes: handleChanges()
    case .tick:
      timer = nil
      // Without a timer of its own: the tick sets the next one.
      takeChanges()
      handle(.tick)
    case .event(let event, let isDone):
      handleAll(event)
      if case .suspending = event { onSuspend?() }
      if case .willEnterForeground = event { onResume?() }
      isDone?.resume()
    }
  }

  // MARK: Events

  /// Takes in an event of the app's life: it enters the background, is about to be suspended, its storage is away.
  ///
  /// Hosts with a life of their own, such as a scene delegate, report it here. What follows is done at once, but for the writing of files,
  /// which ``flush(within:)`` waits for.
  public func handle(_ event: LifecycleEvent) {
    switch event {
    case .enteredBackground, .suspending, .terminate: handleAll(event)
    case .storage(isAvailable: true):
      do throws(StoreError) {
        try Self.makeFolders(configuration)
      } catch {
        lastError = error
        configuration.reportProblem("\(error)")
      }
      carryOut(event)
    default: carryOut(event)
    }
  }

  /// The same for an event that saves: every open archive counts as changed, for not every object reports its changes.
  ///
  /// Where nothing is new, nothing is written.
  private func handleAll(_ event: LifecycleEvent) {
    markAllChanged()
    carryOut(event)
  }

  private func carryOut(_ event: LifecycleEvent) {
    for action in lifecycle.handle(event, at: clock.now) { perform(action) }
    setTimer()
  }

  /// Reports the changes of objects to the lifecycle.
  func handleChanges() {
    takeChanges()
    setTimer()
  }

  private func markAllChanged() {
    takeChanges()
    for archive in results.keys { _ = lifecycle.handle(.changed(archive), at: clock.now) }
  }

  private func takeChanges() {
    for (archive, span) in changes.take() {
      if span.last == nil, lifecycle.hasChanges(archive) { continue }
      _ = lifecycle.handle(.changed(archive), at: span.first)
      if let last = span.last { _ = lifecycle.handle(.changed(archive), at: last) }
    }
  }

  /// Waits, on another thread, for the time at which the lifecycle wants to be called.
  private func setTimer() {
    guard let time = lifecycle.nextTick else {
      timer?.task.cancel()
      timer = nil
      return
    }
    // A timer that comes too early looks again; one that comes too late would not do.
    if let timer, timer.time <= time { return }
    timer?.task.cancel()
    let task = Task.detached { [clock, input, watch] in
      do {
        try await clock.sleep(until: time)
        watch.expectAnswer()
        input.yield(.tick)
      } catch {
        // Another timer has taken its place.
      }
    }
    timer = (time, task)
  }
}

/// What reaches an app from other threads.
enum AppInput: Sendable {
  /// Objects have changed.
  case changes
  /// The time of the lifecycle's next tick.
  case tick
  /// An event of a driver, which may wait until it is taken in.
  case event(LifecycleEvent, CheckedContinuation<Void, Never>?)
}
