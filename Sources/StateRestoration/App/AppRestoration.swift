#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// The entry point for an app: restores its state at launch and saves it automatically.
///
///     let restoration = try AppRestoration("org.example.notes", version: "42", roots: { app.windows }, delegate: app) {
///       Factory(NotesWindow.self) { node in app.open(NotesWindow(node.identifier)) }
///     }
///     let launch = try restoration.launch()  // restored before the first frame
///     await app.run()                        // changes are saved automatically
///     await restoration.end()
///
/// ``launch(_:isolation:)`` restores the last saved state. From then on, a change to a ``Restored`` property or an
/// ``ObservableRestorable`` object schedules a save, 0.5 s after the last change and at most 5 s after the first. For
/// other changes the app calls ``setNeedsSave()``. State is captured on the app's actor and written on another thread.
/// SIGTERM, SIGHUP and SIGINT save before they end the process.
///
/// An app that blocks its actor, such as a loop around `readLine`, calls ``turn()`` before each blocking call.
///
/// Create and use it on the actor that owns the app's objects. It combines an ``ApplicationLifecycle``, which decides
/// when to act, a ``RestorationStore`` with its ``SaveQueue``, and a ``RestorableApplication`` for the app and for each
/// ``AppScene``. Each of these can also be used on its own.
public final class AppRestoration {
  /// The settings.
  public let configuration: AppConfiguration
  /// The store that contains the archives.
  public let store: RestorationStore
  /// The app as a whole.
  public let application: RestorableApplication
  /// The factories and rules that create objects.
  public let resolver: Resolver
  /// The latest error of an archive that could not be saved since, or else of opening one; nil if there is none.
  public var lastError: (any Error)? { failures.last ?? openingError }
  /// Called on the app's actor when SIGTSTP is about to stop the process, unless the app has called ``turn()``.
  public var onSuspend: (() -> Void)?
  /// Called on the app's actor when the process runs again after SIGTSTP, unless the app has called ``turn()``.
  public var onResume: (() -> Void)?
  /// Called on the app's actor after each capture of an archive, with the report on the objects that it has encoded.
  ///
  /// Problems, such as two objects with one path, are also reported as lines (``AppConfiguration/reportProblem``).
  public var onPreserve: ((ArchiveName, PreservationReport) -> Void)?
  /// The observer of calls into the app during restoration; set it before the launch.
  public var observer: (any RestorationObserver)?
  /// The open scenes, in the order in which they were opened.
  public internal(set) var scenes: [AppScene] = []

  let queue: SaveQueue
  let clock: AppClock
  let changes: PendingChanges
  let inputs: AsyncStream<AppInput>
  let input: AsyncStream<AppInput>.Continuation
  let writing: BlockingAppWriting
  let watch: ActorWatch
  let failures = SaveFailures()
  /// The error of restoring an archive, or of making its folder.
  var openingError: (any Error)?
  /// The error of the last capture, until the next flush.
  var captureError: (any Error)?
  let problems: PreservationProblems
  var lifecycle: ApplicationLifecycle
  /// Whether the app blocks its actor, so that state is captured at the end of each turn.
  var isBlocking = false
  /// The result of restoring each open archive.
  var results: [ArchiveName: Result<StoreRestoration, any Error>] = [:]
  var timer: (time: Duration, task: Task<Void, Never>)?
  var signals: ProcessSignals?
  var signalsOfChanges: [ArchiveName: ChangeSignal] = [:]
  private var consumer: Task<Void, Never>?

  /// Opens the store of an app, without restoring anything yet.
  ///
  /// - Parameters:
  ///   - bundleIdentifier: The identifier of the app, such as `org.example.notes`.
  ///   - version: The running build.
  ///   - roots: Returns the top-level objects; called at each save and during restoration.
  ///   - delegate: Makes the decisions and encodes the state of the app as a whole.
  ///   - registrations: The factories, aliases, tombstones and upgrades.
  /// - Throws: ``StoreError/inUse(by:)`` if another process holds the store, such as a second instance of the app;
  ///   ``ResolverError`` listing every registration mistake; ``RestorationError`` if the bundle identifier cannot name
  ///   a folder; ``StoreError/system(_:)``.
  public convenience init(
    _ bundleIdentifier: String, version: String? = nil, roots: @escaping () -> [any Restorable],
    delegate: (any RestorationDelegate)? = nil,
    @ResolverBuilder _ registrations: () throws -> ResolverBuilder.Part = { ResolverBuilder.Part() }
  ) throws {
    try self.init(
      AppConfiguration(bundleIdentifier: bundleIdentifier, bundleVersion: version), roots: roots, delegate: delegate, registrations)
  }

  /// Opens the store of an app with custom settings, without restoring anything yet.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock that measures delays; not the time of day.
  ///   - roots: Returns the top-level objects; called at each save and during restoration.
  ///   - delegate: Makes the decisions and encodes the state of the app as a whole.
  ///   - registrations: The factories, aliases, tombstones and upgrades.
  /// - Throws: The same errors as the other initializer. A bundle identifier that cannot name a folder is no error if
  ///   the configuration has a folder.
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
    problems = PreservationProblems(report: configuration.reportProblem)
    writing = BlockingAppWriting(queue: queue, clock: appClock, timing: configuration.timing)
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

  /// Creates the parent folders of the store.
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

  /// Restores the app as a whole and starts saving automatically.
  ///
  /// Returns after everything is decoded, so that the first frame can be right.
  ///
  /// - Parameters:
  ///   - place: Whether the app launches in the foreground or in the background.
  ///   - isolation: The actor of the app's objects. With none, nothing is saved automatically: call ``turn()`` or
  ///     ``saveNow()``.
  /// - Returns: The restored nodes with their reasons, and the open offers.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was already launched.
  @discardableResult
  public func launch(
    _ place: LifecycleEvent.Place = .foreground, isolation: isolated (any Actor)? = #isolation
  ) throws -> AppLaunch {
    guard lifecycle.phase == .notRunning else { throw RestorationError(.wrongTime, "an app is launched once") }
    if !configuration.isStorageAvailable() { handle(.storage(isAvailable: false)) }
    handle(.launched(place, restoresState: configuration.restoresState))
    let launch = try open(.application, application)
    if store.hasLostLedger {
      configuration.reportProblem(
        "the record of earlier launches cannot be read: earlier crashes are ignored, and open offers show no reason")
    }
    if isolation == nil { watch.stop() } else { consume(isolation: isolation) }
    if configuration.handlesSignals { signals = ProcessSignals(self) }
    return launch
  }

  /// Opens an archive: the app's or a scene's.
  func open(_ archive: ArchiveName, _ application: RestorableApplication) throws -> AppLaunch {
    let signal = ChangeSignal { [changes] isClaimed in changes.add(archive, isClaimed: isClaimed) }
    application.changes = ChangeTracking(signal: signal)
    signalsOfChanges[archive] = signal
    UnclaimedChanges.use()
    // A scene that was just disconnected or closed may still have a pending write or removal, which must come first.
    if queue.unfinishedRequest(of: archive) != nil { queue.commitWaiting() }
    handle(.opened(archive))
    // Objects created during restoration do not count as changes.
    UnclaimedChanges.add(signal)
    return AppLaunch(
      try results[archive]?.get(), reason: try store.beginLaunch(), application,
      restoresState: configuration.restoresState)
  }

  /// Undoes ``open(_:_:)``.
  func forget(_ archive: ArchiveName) {
    if let signal = signalsOfChanges.removeValue(forKey: archive) { UnclaimedChanges.remove(signal) }
    results[archive] = nil
  }

  /// Processes input from other threads on the app's actor.
  private func consume(isolation: isolated (any Actor)?) {
    consumer = Task { [weak self, inputs] in
      _ = isolation
      self?.watch.noteFree()
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
      // Sets no timer: handling the tick below does.
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

  /// Processes a lifecycle event: the app enters the background, is about to be suspended, or its storage becomes
  /// unavailable.
  ///
  /// Hosts with their own lifecycle, such as a scene delegate, report events here. The resulting actions run
  /// immediately, except for file writes; ``flush(within:)`` waits for those.
  public func handle(_ event: LifecycleEvent) {
    switch event {
    case .enteredBackground, .suspending, .terminate: handleAll(event)
    case .storage(isAvailable: true):
      do throws(StoreError) {
        try Self.makeFolders(configuration)
      } catch {
        openingError = error
        configuration.reportProblem("\(error)")
      }
      carryOut(event)
    default: carryOut(event)
    }
  }

  /// Processes an event that saves, with every open archive marked as changed: not all objects report their changes.
  ///
  /// An archive with unchanged content is not written again.
  private func handleAll(_ event: LifecycleEvent) {
    markAllChanged()
    carryOut(event)
  }

  private func carryOut(_ event: LifecycleEvent) {
    for action in lifecycle.handle(event, at: clock.now) { perform(action) }
    setTimer()
  }

  /// Reports changes of objects to the lifecycle.
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

  /// Schedules the next lifecycle tick on another thread.
  private func setTimer() {
    guard let time = lifecycle.nextTick else {
      timer?.task.cancel()
      timer = nil
      return
    }
    // An early timer only checks again; a late one would miss the deadline.
    if let timer, timer.time <= time { return }
    timer?.task.cancel()
    let task = Task.detached { [clock, input, watch] in
      do {
        try await clock.sleep(until: time)
        watch.expectAnswer()
        input.yield(.tick)
      } catch {
        // A newer timer has replaced this one.
      }
    }
    timer = (time, task)
  }
}

/// An input to an app from another thread.
enum AppInput: Sendable {
  /// Objects changed.
  case changes
  /// The next tick of the lifecycle is due.
  case tick
  /// An event from a driver, and an optional waiter to resume once it is processed.
  case event(LifecycleEvent, EventWaiter?)
}

/// A type-erased clock that measures the time since the app started.
struct AppClock: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async throws -> Void

  /// Wraps a clock, starting from now.
  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  /// The time since the app started.
  var now: Duration { elapsed() }

  /// Waits until a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(until time: Duration) async throws { try await wait(time) }
}
