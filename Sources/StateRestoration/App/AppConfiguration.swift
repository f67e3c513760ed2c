public import FoundationValues
public import RestorationArchive
import SystemLibrary

/// The settings of an ``AppRestoration``; the defaults suit an ordinary app.
///
///     var configuration = AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42")
///     configuration.isSafeMode = CommandLine.arguments.contains("--safe-mode")
///     let restoration = try AppRestoration(configuration, roots: { app.windows }) { … }
///
/// The archive headers and the launch history use the same configuration, so both record the same build.
public struct AppConfiguration: Sendable {
  /// The identifier of the app, such as `org.example.notes`, used for the folder name and in each header.
  ///
  /// Without a ``folder``, it must be able to name one: 1 to 200 bytes, without `/` and null bytes, and neither `.` nor `..`.
  public var bundleIdentifier: String
  /// The running build; a build other than the one that crashed retries a quarantined node.
  public var bundleVersion: String?
  /// The folder of the archives; nil for the system's conventional location (``defaultFolder(for:)``).
  ///
  /// Opening the store creates it and its parent folders, accessible to their owner only.
  public var folder: String?
  /// The operating system version, for the header.
  public var systemVersion: String? = AppConfiguration.currentSystemVersion
  /// The user-interface idiom, for the header; nil where the system does not imply one.
  public var userInterfaceIdiom: UserInterfaceIdiom? = AppConfiguration.currentIdiom
  /// The app's own header entries, whose keys contain a full stop.
  public var additionalHeader: ArchiveDictionary = [:]

  /// The timing of saves.
  public var timing = ApplicationLifecycle.Timing()
  /// The time that the app must run after restoring to become stable, 5 s by default.
  ///
  /// Measured in ticks of the restoring actor, so that a hanging app does not become stable.
  public var stableAfter = Duration.seconds(5)
  /// The numbers of good launches after which the same build tries a quarantined node again.
  ///
  /// The first counts from the node's first death, the second from the first retry that died, and so on; the last is
  /// repeated.
  public var retriesAfter = [5, 10, 20]
  /// Whether this is a safe-mode launch, which offers saved state instead of restoring it, as for a `--safe-mode`
  /// argument.
  public var isSafeMode = false
  /// Whether this launch restores state; if false, it starts fresh, and the saved state becomes an offer at the next
  /// save.
  public var restoresState = true
  /// Whether fatal signals are recorded: traps, bad accesses, aborts.
  ///
  /// A node that traps during restoration is then left out at the very next launch, instead of after its second death.
  /// The handler writes 64 bytes into the store's folder and then runs the previous handler; it stays installed for the
  /// lifetime of the process. Install other handlers earlier, or make them call the previous one. A stack overflow is
  /// recorded only on the thread that begins the launch.
  public var recordsFatalSignals = true
  /// Whether the app saves before SIGTERM, SIGHUP or SIGINT ends the process, and before SIGTSTP stops it.
  public var handlesSignals = true
  /// Called when a signal is about to end or stop the process, after the last save, for example to reset the terminal.
  ///
  /// Called on the thread that handles the signal.
  public var willEndBySignal: @Sendable () -> Void = {}
  /// The policy for restoring archives; the default accepts all, also those of another app.
  public var policy = RestorationPolicy.always
  /// The number of files to keep.
  public var limits = StoreLimits()
  /// The limits on the amount and age of unclaimed state that is carried over from save to save.
  public var carryLimits = CarryLimits.standard
  /// Limits on the size of each archive, of each node and of paths; an excess is reported once (``reportProblem``), and
  /// everything is saved all the same.
  ///
  /// They are checked when everything is captured, and not when only changes are (``PreservationOptions/encodesOnlyChanges``).
  public var budget: SizeBudget?
  /// Whether the report of a launch lists all resolution steps of each node.
  public var tracesDecisions = false
  /// Whether each save of what has changed is compared with a save of everything; intended for tests.
  ///
  /// A save then fails if an object that promises to track its changes (``Restorable/tracksChanges``) has changed without
  /// reporting it, and the error names the object.
  public var verifiesChanges = false
  /// Additional launch information for the delegate, such as a URL or document to open.
  public var launchInformation: [String: any Sendable] = [:]
  /// Whether the storage is accessible now; while it is not, nothing is restored or saved.
  ///
  /// When that changes, call ``AppRestoration/handle(_:)`` with ``LifecycleEvent/storage(isAvailable:)``.
  public var isStorageAvailable: @Sendable () -> Bool = { true }
  /// The wall clock, for headers and age limits.
  public var date: @Sendable () -> Date = { Date() }
  /// Receives a one-line description of a background problem, such as a failed save, an object that could not be saved,
  /// an archive over its budget, or an actor that is always busy.
  ///
  /// The same problem is reported once; at most 100 lines are about objects and budgets.
  ///
  /// May be called on any thread. By default the line is printed to standard error. It contains no saved value.
  public var reportProblem: @Sendable (String) -> Void = AppConfiguration.printProblem

  /// Whether the report of a launch also notes saved keys that nothing has read (``RestorationReport/NoteKind/unread``).
  package var notesUnread = false
  /// The file system of the store.
  var system: any StoreFileSystem = SystemFileSystem()

  /// Creates a configuration.
  public init(bundleIdentifier: String, bundleVersion: String? = nil, folder: String? = nil) {
    (self.bundleIdentifier, self.bundleVersion, self.folder) = (bundleIdentifier, bundleVersion, folder)
  }

  // MARK: Defaults

  private static var currentSystemVersion: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
  }

  private static var currentIdiom: UserInterfaceIdiom? {
    #if os(macOS)
      .mac
    #elseif os(tvOS)
      .tv
    #elseif os(watchOS)
      .watch
    #elseif os(visionOS)
      .vision
    #else
      nil
    #endif
  }

  private static let printProblem: @Sendable (String) -> Void = { problem in
    StandardError.write("restoration: \(problem)\n")
  }

  // MARK: Derived values

  /// Returns the header of a save at `date`, after a launch that has found `lastSave`.
  func header(at date: Date, after lastSave: Date?) -> ArchiveHeader {
    var header = ArchiveHeader(
      bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion, systemVersion: systemVersion, timestamp: date,
      userInterfaceIdiom: userInterfaceIdiom, writer: "swift-state-restoration", additional: additionalHeader)
    header.laterSave = lastSave.flatMap { $0 > date ? $0 : nil }
    return header
  }

  /// Returns the folder of the store, and makes its parent folders if the storage is accessible.
  func openFolder(makesFolders: Bool) throws -> StoreFolder {
    guard hasUsableIdentifier || folder != nil else {
      let name = bundleIdentifier.quotedForDisplay
      throw RestorationError(.unusableName, "the bundle identifier \(name) cannot name a folder; set a folder in the configuration")
    }
    var folder = StoreFolder(path: folder ?? Self.defaultFolder(for: bundleIdentifier), system: system)
    folder.makesAncestors = makesFolders
    if makesFolders, isStorageAvailable() { try AppRestoration.makeFolders(above: folder) }
    return folder
  }

  var launchOptions: LaunchOptions {
    LaunchOptions(
      bundleVersion: bundleVersion, isSafe: isSafeMode, stableAfter: stableAfter, retriesAfter: retriesAfter,
      recordsFatalSignals: recordsFatalSignals)
  }

  var restorationOptions: RestorationOptions {
    var options = RestorationOptions(
      launch: LaunchContext(now: date(), information: launchInformation), policy: policy, carryLimits: carryLimits,
      tracesDecisions: tracesDecisions)
    options.notesUnread = notesUnread
    return options
  }

  /// Whether the bundle identifier can name a folder.
  var hasUsableIdentifier: Bool {
    !bundleIdentifier.isEmpty && bundleIdentifier != "." && bundleIdentifier != ".." && bundleIdentifier.utf8.count <= 200
      && !bundleIdentifier.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension RestorationStore {
  /// Opens the store of an app that drives it itself.
  ///
  /// Of the settings, those of the launch, the folder, ``AppConfiguration/limits`` and ``AppConfiguration/isStorageAvailable``
  /// apply. While the storage is not accessible, loading returns `pending` and saves are deferred, so nothing is lost;
  /// `isStorageAvailable` is called on any thread that uses the store, without a lock held: it may use the store itself and
  /// wait for another thread, even one that writes submitted saves. If that thread is stuck, saves are too.
  ///
  /// - Parameters:
  ///   - configuration: The settings. Opening the store for writing creates the folder and its parent folders, accessible to
  ///     their owner only. A folder that cannot be written now, as on a read-only file system, is only read until it can be.
  ///   - isReadOnly: Whether the store is opened for loading only, and not for the one process that saves.
  /// - Throws: ``StoreError/inUse(by:)`` if another process writes to the store; ``StoreError/system(_:)``;
  ///   ``RestorationError/Code/unusableName`` if the bundle identifier cannot name a folder.
  public convenience init(_ configuration: AppConfiguration, isReadOnly: Bool = false) throws {
    try self.init(
      configuration.openFolder(makesFolders: !isReadOnly), launch: configuration.launchOptions, access: isReadOnly ? .reading : .writing,
      limits: configuration.limits, isReachable: configuration.isStorageAvailable)
  }
}

extension AppConfiguration {
  /// The default folder for the state of an app, by the convention of the system.
  ///
  /// On Apple systems, `~/Library/Application Support/IDENTIFIER/Restoration`. Elsewhere,
  /// `$XDG_STATE_HOME/IDENTIFIER/restoration`, with `~/.local/state` if that variable is not an absolute path; `~` is
  /// then `$HOME`, or the home folder of the account if that is not an absolute path.
  public static func defaultFolder(for bundleIdentifier: String) -> String {
    defaultFolder(for: bundleIdentifier, environment: ProcessInfo.processInfo.environment, home: homeFolder)
  }

  static func defaultFolder(for bundleIdentifier: String, environment: [String: String], home: String) -> String {
    #if canImport(Darwin)
      "\(home)/Library/Application Support/\(bundleIdentifier)/Restoration"
    #else
      let paths = environment.filter { $0.value.hasPrefix("/") }
      let stateHome = paths["XDG_STATE_HOME"] ?? "\(paths["HOME"]?.droppingTrailingSlash ?? home)/.local/state"
      return "\(stateHome)/\(bundleIdentifier)/restoration"
    #endif
  }

  private static var homeFolder: String {
    #if canImport(Darwin)
      // The container of a sandboxed app; `homeDirectoryForCurrentUser` exists on macOS only.
      NSHomeDirectory()
    #else
      FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false).droppingTrailingSlash
    #endif
  }
}

extension String {
  fileprivate var droppingTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

/// The standard error stream of the process.
enum StandardError {
  /// Writes text, stopping at the first error.
  static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

@unsafe private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
