import FoundationValues
import Locking
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
/// ``launch(inBackground:isolation:)`` restores the last saved state. From then on, a change to a ``Restored`` property or an
/// ``ObservableRestorable`` object schedules a save, 0.5 s after the last change and at most 5 s after the first. For
/// other changes the app calls ``setNeedsSave()``. State is captured on the app's actor and written on another thread.
/// SIGTERM, SIGHUP and SIGINT save before they end the process.
///
/// An app that blocks its actor, such as a loop around `readLine`, calls ``turn()`` before each blocking call.
///
/// Create and use it on the actor that owns the app's objects, and keep it for as long as the app runs: nothing is saved
/// once it is released. It combines an ``ApplicationLifecycle``, which decides
/// when to act, a ``RestorationStore``, and a ``RestorableTree`` for the app and for each
/// ``AppScene``. Each of these can also be used on its own.
public final class AppRestoration {
  /// The settings.
  public let configuration: AppConfiguration
  /// The store that contains the archives.
  public let store: RestorationStore
  /// The objects of the app as a whole.
  public let tree: RestorableTree
  /// The factories and rules that create objects.
  public let resolver: Resolver
  /// The latest error of an archive that could not be saved since, or else of opening one; nil if there is none.
  public var lastError: (any Error)? { failures.last ?? unopened.last }
  /// Called on the app's actor when SIGTSTP is about to stop the process, unless the app has called ``turn()``.
  public var onSuspend: (() -> Void)?
  /// Called on the app's actor when the process runs again after SIGTSTP, unless the app has called ``turn()``.
  public var onResume: (() -> Void)?
  /// Called on the app's actor after each capture of an archive, with the report on the objects that it has encoded.
  ///
  /// Problems, such as two objects with one path, are also reported as lines (``AppConfiguration/reportProblem``). The state is
  /// not on the disk yet, and ``saveNow()`` throws within this; other calls come after this capture.
  public var onPreserve: ((ArchiveName, PreservationReport) -> Void)?
  /// Called before each call into the app during restoration (``RestorationOptions/onCall``); set it before the launch.
  public var onCall: ((RestorationPhase, RestorationPath) -> Void)?
  /// The open scenes, in the order in which they were opened.
  public internal(set) var scenes: [AppScene] = []

  let clock: AppClock
  let schedule: Schedule
  let inputs: AsyncStream<AppInput>
  let input: AsyncStream<AppInput>.Continuation
  let failures = SaveFailures()
  /// The reports of captures for ``onPreserve``.
  var unreported: [(archive: ArchiveName, report: PreservationReport)] = []
  let activities = Activities()
  /// The errors of restoring archives, or of making their folder.
  let unopened = SaveFailures()
  /// The time of the last save before this launch.
  var lastSave: Date?
  /// Whether the app has said that it is about to end.
  var isEnding = false
  /// The scenes that were closed since ``beginEnding()``.
  var closedWhileEnding: Set<ArchiveName> = []
  /// The error of the last capture, until the next flush.
  var captureError: (any Error)?
  let problems: SaveProblems
  /// Whether the captures of the current event encode everything.
  var encodesEverything = false
  /// The result of restoring each open archive.
  var results: [ArchiveName: Result<AppLaunch, any Error>] = [:]
  var signals: ProcessSignals?
  /// Lets the signal of each open archive receive unclaimed changes.
  private var registrations: [ArchiveName: SignalRegistration] = [:]
  var consumer: Task<Void, Never>?

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
    tree = RestorableTree(roots: roots, delegate: delegate)
    problems = SaveProblems(report: configuration.reportProblem)
    let (inputs, input) = AsyncStream.makeStream(of: AppInput.self)
    (self.inputs, self.input) = (inputs, input)
    let clock = AppClock(clock)
    let schedule = Schedule(timing: configuration.timing, clock: clock, report: configuration.reportProblem) { input.yield(.tick) }
    (self.clock, self.schedule) = (clock, schedule)
    store = try RestorationStore(
      configuration.openFolder(makesFolders: true), launch: configuration.launchOptions, limits: configuration.limits,
      sleep: { try await clock.sleep(until: clock.now + $0) },
      didSave: { [failures] archive, result in
        switch result {
        case .success(.deferred): break
        case .success: return failures.end(archive)
        case .failure(let error):
          if failures.begin(error, of: archive) { configuration.reportProblem("\(archive) could not be saved; trying again: \(error)") }
        }
        // The removal of a closed scene is tried again with the app's archive.
        _ = schedule.handle(.failed(schedule.lifecycle.isOpen(archive) ? archive : .application))
      }, didLoseFiles: { schedule.noteChangeOfAll() }, isReachable: configuration.isStorageAvailable)
  }

  /// Creates the parent folders of the store; on storage that cannot be written, nothing.
  static func makeFolders(above folder: StoreFolder) throws(StoreError) {
    do throws(FileSystemError) {
      try folder.makeAncestors()
    } catch {
      if !error.preventsWriting { throw .system(error) }
    }
  }

  deinit {
    // An app that does not keep it would notice that at its next launch only.
    if schedule.isRunning {
      configuration.reportProblem(
        "the AppRestoration was released while the app runs: nothing is saved any more; keep it in a property, and end it with end()")
    }
    schedule.end()
    consumer?.cancel()
    input.finish()
  }

  // MARK: Launching

  /// Restores the app as a whole and starts saving automatically.
  ///
  /// Returns after everything is decoded, so that the first frame can be right.
  ///
  /// - Parameters:
  ///   - inBackground: Whether the app launches for background work, invisible to the user.
  ///   - isolation: The actor of the app's objects. With none, nothing is saved automatically: call ``turn()`` or
  ///     ``saveNow()``.
  /// - Returns: The restored nodes with their reasons, and the open offers.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was already launched.
  @discardableResult
  public func launch(
    inBackground: Bool = false, isolation: isolated (any Actor)? = #isolation
  ) throws -> AppLaunch {
    guard schedule.lifecycle.phase == .notRunning else { throw RestorationError(.wrongTime, "an app is launched once") }
    if !configuration.isStorageAvailable() { handle(.storage(isAvailable: false)) }
    handle(.launched(inBackground: inBackground, restoresState: configuration.restoresState))
    beginTicks()
    let launch = try open(.application, tree)
    if store.launch.history?.hasLostLedger == true {
      configuration.reportProblem(
        "the record of earlier launches cannot be read: earlier crashes are ignored, and open offers show no reason")
    }
    if let error = launch.launchError { configuration.reportProblem("this launch could not be recorded: \(error)") }
    if isolation == nil { schedule.endWatch() } else { consume(isolation: isolation) }
    if configuration.handlesSignals { signals = ProcessSignals(self) }
    return launch
  }

  /// Lets the schedule perform ticks itself while the app blocks its actor between turns.
  private func beginTicks() {
    // Weak, because objects that outlive the app report their changes to the schedule.
    schedule.begin { [weak store, weak schedule, activities] actions in
      guard let store, let schedule else { return }
      for action in actions {
        switch action {
        case .write: store.startWriting()
        case .countTick(let archives):
          for archive in archives where !store.noteTick(archive, isExtended: activities.isExtended(archive)) {
            _ = schedule.handle(.stable(archive))
          }
        case .markSuspended(let isSuspended): store.noteSuspension(isSuspended)
        default: break
        }
      }
    }
  }

  /// Opens an archive: the app's or a scene's.
  func open(_ archive: ArchiveName, _ tree: RestorableTree) throws -> AppLaunch {
    let signal = ChangeSignal { [schedule] in schedule.noteChange(archive) }
    tree.changes = ChangeTracking(signal: signal)
    tree.others = { [weak self, weak tree] in
      guard let self else { return [] }
      return ([(.application, self.tree)] + self.scenes.map { ($0.archive, $0.tree) }).filter { $0.1 !== tree }
    }
    tree.reportKept = { [configuration] line in configuration.reportProblem("\(archive): \(line)") }
    activities.set(tree.activity, of: archive)
    UnclaimedChanges.use()
    noteStorage()
    handle(.opened(archive))
    // Objects created during restoration do not count as changes.
    registrations[archive] = SignalRegistration(signal)
    guard let launch = try results[archive]?.get() else { throw RestorationError(.wrongTime, "\(archive) is open") }
    if isEnding { tree.beginEnding() }
    return launch
  }

  /// Notes that the storage is back, if it is: the host may report it a moment later.
  func noteStorage() {
    if !schedule.lifecycle.isStorageAvailable, configuration.isStorageAvailable() { handle(.storage(isAvailable: true)) }
  }

  /// Undoes ``open(_:_:)``.
  func forget(_ archive: ArchiveName) {
    (registrations[archive], results[archive]) = (nil, nil)
    activities.set(nil, of: archive)
  }

  /// Processes input from other threads on the app's actor.
  private func consume(isolation: isolated (any Actor)?) {
    consumer = Task { [weak self, inputs] in
      _ = isolation
      self?.schedule.noteFree()
      for await input in inputs {
        guard let self else { return }
        self.carryOut(input)
      }
    }
  }

  func carryOut(_ input: AppInput) {
    if case .tick = input { schedule.noteQuestion() }
    schedule.noteAnswer()
    switch input {
    case .tick: handle(.tick)
    case .event(let event, let isDone):
      handle(event)
      if case .suspending = event { onSuspend?() }
      if case .willEnterForeground = event { onResume?() }
      isDone?.finish(())
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
    case .enteredBackground, .suspending, .terminate:
      if case .terminate = event { beginEnding() }
      // Everything, because not all objects report their changes; an archive with unchanged content is not written again.
      markAllChanged()
      encodesEverything = true
    case .storage(isAvailable: true):
      do throws(StoreError) {
        try Self.makeFolders(above: store.folder)
      } catch {
        if unopened.begin(error, of: .application) { configuration.reportProblem("\(error)") }
      }
    default: break
    }
    defer { encodesEverything = false }
    perform(schedule.handle(event))
  }

  /// Marks all open archives as changed.
  func markAllChanged() {
    for archive in results.keys { _ = schedule.handle(.changed(archive)) }
  }
}

/// An input to an app from another thread.
enum AppInput: Sendable {
  /// The next tick of the lifecycle is due.
  case tick
  /// An event from a driver, and an optional waiter to resume once it is processed.
  case event(LifecycleEvent, Race<Void>?)
}

/// The counters of restoration work that continues, by archive; for ticks on any thread.
final class Activities: Sendable {
  private let counters = Lock<[ArchiveName: RestorationActivity]>([:])

  /// Sets the counter of an archive, or removes it.
  func set(_ activity: RestorationActivity?, of archive: ArchiveName) { counters.withLock { $0[archive] = activity } }

  /// Whether restoring an archive is extended.
  func isExtended(_ archive: ArchiveName) -> Bool { counters.withLock { $0[archive]?.count ?? 0 > 0 } }
}
