#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// The settings of an ``AppRestoration``; the defaults are those of an ordinary app.
///
///     var configuration = AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42")
///     configuration.isSafeMode = CommandLine.arguments.contains("--safe-mode")
///     let restoration = try AppRestoration(configuration, roots: { app.windows }) { … }
///
/// One configuration serves the header of each save and the history of launches, so that both speak of the same build.
public struct AppConfiguration: Sendable {
  /// The identifier of the app, such as `org.example.notes`, which names the folder and stands in each header.
  public var bundleIdentifier: String
  /// The build that runs; another build than the one that died tries a quarantined node again.
  public var bundleVersion: String?
  /// The folder of the archives; nil for the convention of the system (``defaultFolder(for:)``).
  ///
  /// It is made when something is saved, with the folders above it, for its owner alone.
  public var folder: String?
  /// The version of the operating system, for the header.
  public var systemVersion: String? = AppConfiguration.currentSystemVersion
  /// The kind of interface, for the header; nil where the system does not imply one.
  public var userInterfaceIdiom: UserInterfaceIdiom? = AppConfiguration.currentIdiom
  /// Header entries of the app's own, whose keys contain a full stop.
  public var additionalHeader: ArchiveDictionary = [:]

  /// When changes are saved.
  public var timing = ApplicationLifecycle.Timing()
  /// How long the app must run after restoring to count as stable, 5 s by default.
  public var stableAfter = Duration.seconds(5)
  /// Whether nothing is restored by itself: everything is offered instead, say for an argument `--safe-mode`.
  public var isSafeMode = false
  /// Whether this launch restores: false starts fresh, and what was saved stays, as an offer once something is saved over it.
  public var restoresState = true
  /// Whether a trap is noted, so that the node that traps is left out at the next launch already.
  public var recordsFatalSignals = true
  /// Whether SIGTERM, SIGHUP and SIGINT save before they end the process, and SIGTSTP before it stops.
  public var handlesSignals = true
  /// Called when a signal is about to end or stop the process, after the last save: a terminal is given back here.
  ///
  /// It is called on the thread that handles the signal.
  public var willEndBySignal: @Sendable () -> Void = {}
  /// Which archives are restored at all.
  public var policy = RestorationPolicy.always
  /// How many files are kept.
  public var limits = StoreLimits()
  /// How much unclaimed state is carried over from save to save, and for how long.
  public var carryLimits = CarryLimits.standard
  /// What else the delegate may know about the launch: a URL that is to be opened, a document.
  public var launchInformation: [String: any Sendable] = [:]
  /// Whether the files can be reached now; while they cannot, nothing is restored and nothing is saved.
  ///
  /// When that changes, call ``AppRestoration/handle(_:)`` with ``LifecycleEvent/storage(isAvailable:)``.
  public var isStorageAvailable: @Sendable () -> Bool = { true }
  /// The time of day, for headers and for limits of age.
  public var date: @Sendable () -> Date = { Date() }
  /// Takes a line about a problem that the app did not ask about: a save that failed, changes that could not be captured.
  ///
  /// It may be called on any thread. By default the line goes to the standard error. It contains no saved value.
  public var reportProblem: @Sendable (String) -> Void = AppConfiguration.printProblem

  /// Creates a configuration.
  public init(bundleIdentifier: String, bundleVersion: String? = nil, folder: String? = nil) {
    self.bundleIdentifier = bundleIdentifier
    self.bundleVersion = bundleVersion
    self.folder = folder
  }

  // MARK: Defaults

  /// The folder for the state of an app, by the convention of the system.
  ///
  /// On Apple's systems `Application Support/IDENTIFIER/Restoration` in the library of the user; elsewhere `IDENTIFIER/restoration` in
  /// `XDG_STATE_HOME`, or in `.local/state` of the home folder where that is not an absolute path.
  public static func defaultFolder(for bundleIdentifier: String) -> String {
    defaultFolder(for: bundleIdentifier, environment: ProcessInfo.processInfo.environment, home: homeFolder)
  }

  static func defaultFolder(for bundleIdentifier: String, environment: [String: String], home: String) -> String {
    #if canImport(Darwin)
      "\(home)/Library/Application Support/\(bundleIdentifier)/Restoration"
    #else
      let stateHome = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/state"
      return "\(stateHome)/\(bundleIdentifier)/restoration"
    #endif
  }

  private static var homeFolder: String {
    FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false).droppingTrailingSlash
  }

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

  // MARK: What follows from them

  /// The header of a save at this moment.
  func header(at date: Date) -> ArchiveHeader {
    ArchiveHeader(
      bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion, systemVersion: systemVersion, timestamp: date,
      userInterfaceIdiom: userInterfaceIdiom, writer: "swift-state-restoration", additional: additionalHeader)
  }

  /// The folder of the store.
  var folderPath: String { folder ?? Self.defaultFolder(for: bundleIdentifier) }

  var launchOptions: LaunchOptions {
    LaunchOptions(
      bundleVersion: bundleVersion, isSafe: isSafeMode, stableAfter: stableAfter, recordsFatalSignals: recordsFatalSignals)
  }

  var restorationOptions: RestorationOptions {
    RestorationOptions(
      launch: RestorationLaunch(now: date(), information: launchInformation), policy: policy, carryLimits: carryLimits)
  }

  /// Whether the identifier can name a folder.
  var hasUsableIdentifier: Bool {
    !bundleIdentifier.isEmpty && bundleIdentifier != "." && bundleIdentifier != ".." && bundleIdentifier.utf8.count <= 200
      && !bundleIdentifier.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension String {
  fileprivate var droppingTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
