/// What happens to an app, as its host reports it to an ``ApplicationLifecycle``.
public enum LifecycleEvent: Sendable, Hashable {
  /// Where an app is launched.
  public enum Place: String, Sendable {
    /// The user sees it.
    case foreground
    /// It is launched for work that nobody watches.
    case background
  }

  /// The process runs. With `restoresState` false, because of the reason of the launch, all archives start fresh.
  case launched(Place, restoresState: Bool)
  /// The app as a whole, or a scene, begins to take part.
  case opened(ArchiveName)
  /// The host has carried out ``LifecycleAction/restore(_:)``, whatever the outcome, or has restored an offer into a running app.
  case restored(ArchiveName)
  /// A scene was put away; its state stays. Where it cannot be captured yet, it stays open.
  case disconnected(ArchiveName)
  /// A scene was closed for good: its state is deleted.
  case closed(ArchiveName)
  /// Something changed that belongs into an archive.
  case changed(ArchiveName)
  /// A restored archive is known to be stable, so that no more ticks are counted for it.
  case stable(ArchiveName)
  /// The app gets events of the user.
  case becameActive
  /// The app is still seen and gets no events of the user.
  case resignedActive
  /// The app is no longer seen. From here on the process may be killed without notice.
  case enteredBackground
  /// The app is about to be seen again.
  case willEnterForeground
  /// The process is about to be stopped in memory.
  case suspending
  /// The files can, or cannot, be reached from now on: a locked device, a disk that is not mounted.
  case storage(isAvailable: Bool)
  /// The system is short of memory.
  case memoryLow
  /// The process ends after at most `time`.
  case terminate(LifecycleEnding, time: Duration)
  /// The app is about to wait in a call that blocks, such as `readLine`: ticks cannot come until the next event.
  case turnEnded
  /// The time of ``ApplicationLifecycle/nextTick`` has come.
  case tick
}

/// Why a process ends in good order.
public enum LifecycleEnding: String, Sendable {
  /// The app ends by itself: the user quits.
  case quit
  /// The system or the user asks it to: a signal.
  case signal
}

/// What the host of an ``ApplicationLifecycle`` has to do.
public enum LifecycleAction: Sendable, Hashable {
  /// Restore an archive, then report ``LifecycleEvent/restored(_:)``.
  case restore(ArchiveName)
  /// Start an archive without its saved state, which stays.
  case startFresh(ArchiveName)
  /// Show the app without its state: ``restore(_:)`` follows when the storage is there.
  case awaitStorage(ArchiveName)
  /// Encode the state of the archives and hand it to the writer.
  case capture([ArchiveName])
  /// These archives cannot be saved before the storage is there or they are restored; their changes stay noted.
  ///
  /// An app that still waits for the state of such an archive has newer state from now on: keep it in memory.
  case deferSave([ArchiveName])
  /// Wait until everything captured is on the disk, or until this time.
  case flush(until: Duration)
  /// Delete what was saved of an archive, and its pending saves.
  case remove(ArchiveName)
  /// Close files that can be opened again.
  case releaseFiles
  /// Drop memory that can be filled again.
  case releaseCaches
  /// Note, for the next launch, that the process is suspended, or that it runs again.
  case markSuspended(Bool)
  /// Count a tick in which the app runs, for archives that are not known to be stable.
  case countTick([ArchiveName])
  /// Note, for the next launch, that the process ended in good order.
  case end(LifecycleEnding)
}
