import RestorationArchive

/// The history of earlier launches and the resulting decisions of this one, as a value without a clock, files or
/// threads.
///
/// Its input is the ledger, the progress record and the file names; its output is what to restore, offer or leave out.
/// While the launch runs, it receives each tick and save, and the callbacks of objects that register late. The store
/// performs its decisions, and writes ``ledger`` and ``record`` when they change.
///
/// Only this type and its extensions modify the properties; the store calls their methods.
struct LaunchHistory {
  /// This launch.
  struct Launch {
    var bundleVersion: String?
    /// An identifier of the machine's boot; 0 if unknown.
    var boot: UInt64 = 0
    /// A random number that identifies the launch.
    var number: UInt64 = 0
    /// The settings, whose build does not count: it may have been unknown when the store was opened.
    var options = LaunchOptions()
  }

  /// The files that the last launch has left, as far as they are needed to judge it.
  struct Files {
    /// All archives.
    var archives: () -> [ArchiveName] = { [] }
    /// The newest generation of an archive that may be restored.
    var current: (ArchiveName) -> UInt64? = { _ in nil }
    /// The nodes of a type in that generation, and whether it has others that are not above or below them.
    var nodes: (ArchiveName, _ type: String) -> (paths: [RestorationPath], hasOthers: Bool) = { _, _ in ([], true) }
  }

  /// The records left by the previous process.
  struct LastLaunch {
    /// Who it was and how it has ended.
    var record: ProgressRecord
    /// The record of a signal or `exit` handler.
    var exit: ExitRecord?
    /// The archives that were being restored and were not stable.
    var restoring: [Trial] = []
    /// The callback that had not returned, or the archive that was being read.
    var called: LaunchLedger.Suspect?
    /// A later launch that died while it judged this one, and of which nothing else is known.
    var blankLaunch: UInt64?

    /// An archive that was not stable.
    struct Trial {
      var archive: ArchiveName
      var generation: UInt64 = 0
      /// Whether the app had worked since restoring it.
      var hasWorked = false
      /// Whether it was offered instead of restored.
      var isSetAside = false
    }
  }

  /// An archive that is being restored and is not stable yet.
  struct Restoring {
    let generation: Generation
    /// The generation, as far as it was read.
    let content: LoadedContent
    /// The number of the archive in the progress record.
    let number: Int
    let hash: UInt64
    /// The callback that has not returned yet.
    var call: Call?
    /// Whether the archive was offered instead of restored, and the app runs without it.
    var isSetAside = false
    /// Whether the archive was already stable when an object was registered late.
    var wasStable: Bool
    var hasEnded = false
    var hasWorked = false
    var ticks = 0
    private var extendedTicks = 0
    /// Whether restoring is extended, and the extension still counts as restoring.
    private(set) var isExtended = false
    /// The suspects that have been called.
    var exercised: Set<RestorationPath> = []

    init(generation: Generation, content: LoadedContent, number: Int, wasStable: Bool) {
      (self.generation, self.content, self.number, self.wasStable) = (generation, content, number, wasStable)
      hash = FixedRecord.hash(generation.archive.fileName)
    }

    /// Counts ticks of an extension, which counts for a minute; none if there is no extension.
    mutating func extend(by ticks: Int) {
      extendedTicks += ticks
      isExtended = ticks > 0 && extendedTicks <= 120
    }
  }

  /// A callback that has not returned.
  struct Call {
    let phase: ProgressRecord.Phase
    /// The node's path, if it belongs to an object that has registered late; others are known by the word of the record.
    let path: RestorationPath?
    /// The number of the node.
    let node: Int
  }

  /// The persistent part of the history.
  var ledger: LaunchLedger
  let launch: Launch
  /// Whether the ledger of the earlier launches could not be read.
  let hasLostLedger: Bool
  /// The way the previous process ended; nil if there was none.
  let lastExit: LastExit?
  /// The archives that are being restored and are not stable yet.
  var restoring: [Restoring] = []
  /// The archives that have become stable since the ledger was written.
  var unwritten: [Restoring] = []
  /// The numbers given to archives in the progress record so far, and those of them that are free again.
  var numberCount = 0
  var freeNumbers: [Int] = []
  /// The archives of which this launch was a good one.
  var good: Set<ArchiveName> = []
  /// Whether offers are being accepted.
  var isAccepting = false
  /// The archives of the offers that were last accepted in one call.
  var together: Set<ArchiveName> = []
  /// The archives that this launch has saved.
  var written: Set<ArchiveName> = []
  /// The scenes that were put away, and whose last save is not on the disk.
  var leaving: Set<ArchiveName> = []
  /// The offers that this launch has answered, and whether it has accepted them.
  var answers: [Generation: Bool] = [:]
  /// Whether an archive has become stable.
  var hasRun = false
  /// Whether this launch has begun to restore an archive.
  var hasRestored = false
  /// Whether the record of the last launch still counts, because the ledger may lack what follows from it.
  var isJudging = false
  /// How the process ends, as far as it is known.
  var ending = ProgressRecord.Ending.running

  // MARK: Beginning

  /// Begins a launch.
  ///
  /// - Parameters:
  ///   - last: The records of the previous process; nil if unreadable.
  ///   - ledger: The ledger; nil if unreadable.
  ///   - files: The files that it has left.
  ///   - launch: This launch.
  init(after last: LastLaunch?, ledger: LaunchLedger?, files: Files = Files(), launch: Launch) {
    self.launch = launch
    hasLostLedger = ledger == nil
    // An unreadable ledger was still written by a launch.
    let hasLaunched = ledger.map(\.hasLaunched) ?? true
    self.ledger = ledger ?? LaunchLedger()
    self.ledger.hasLaunched = true
    lastExit = last.map { Self.exit(of: $0, boot: launch.boot) } ?? (hasLaunched ? .unknown : nil)
    if let last, let lastExit, self.ledger.judged != last.record.launch {
      judge(last, lastExit, files)
      self.ledger.note(last, lastExit)
    }
    concludeAcceptances(last, files)
    setEverythingAside(files)
  }

  /// The reason for restoring at this launch.
  var reason: RestorationReason { lastExit?.reason ?? .pristine }

  private static func exit(of last: LastLaunch, boot: UInt64) -> LastExit {
    let record = last.record
    if record.ending == .ended { return .ended }
    let exit = last.exit.flatMap { $0.launch == record.launch ? $0 : nil }
    if let exit, exit.kind == .fatalSignal { return exit.isFromOther ? .killed : .trapped }
    switch record.ending {
    case .signal: return .signal
    case .unanswered: return .unanswered
    case .running, .suspended, .ended:
      if let exit { return exit.isOnRestoringThread && last.called != nil ? .exited : .ended }
      if record.ending == .suspended { return .suspended }
      return record.boot != 0 && boot != 0 && record.boot != boot ? .otherBoot : .killed
    }
  }

  /// Records that a scene was closed recoverably: everything else that is known of it stays, and what the user has accepted.
  mutating func disconnect(_ archive: ArchiveName) {
    leaving.remove(archive)
    ledger.openScenes?.removeAll { $0 == archive }
    conclude(archive)
    abandon(archive)
    written.remove(archive)
  }

  /// Takes the scenes from the list of open ones that were put away, and returns them.
  mutating func endLeaving(_ archives: [ArchiveName]) -> Set<ArchiveName> {
    let left = leaving.intersection(archives)
    leaving.subtract(left)
    ledger.openScenes?.removeAll { left.contains($0) }
    return left
  }

  /// Removes everything known about an archive.
  mutating func forget(_ archive: ArchiveName) {
    disconnect(archive)
    answers = answers.filter { $0.key.archive != archive }
    ledger.forget(archive)
  }

  /// Resets the history, except that this launch is running.
  mutating func forgetEverything() {
    for entry in restoring { abandon(entry.generation.archive) }
    (written, leaving, good) = ([], [], [])
    answers = [:]
    ledger = LaunchLedger()
    ledger.hasLaunched = true
  }
}
