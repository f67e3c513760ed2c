/// An event in the life of an app, reported by its host to an ``ApplicationLifecycle``.
public enum LifecycleEvent: Sendable, Hashable {
  /// The process was launched, visible to the user or for background work; with `restoresState` false, all archives start
  /// fresh.
  case launched(inBackground: Bool, restoresState: Bool)
  /// The app as a whole, or a scene, was opened.
  case opened(ArchiveName)
  /// The host has performed ``LifecycleAction/restore(_:)``, whatever the outcome, or has restored an offer into a
  /// running app.
  case restored(ArchiveName)
  /// A scene was disconnected; its state is kept, and it stays open until its changes can be captured.
  case disconnected(ArchiveName)
  /// A scene was closed permanently; its state is deleted, after the changes of other archives are captured.
  case closed(ArchiveName)
  /// State that belongs to an archive has changed.
  case changed(ArchiveName)
  /// A save of an archive failed, in its capture or on the disk.
  case failed(ArchiveName)
  /// An archive could not be restored, or not be started fresh, and the app goes on waiting for its saved state.
  case notRestored(ArchiveName)
  /// A restored archive is stable; no more ticks are counted for it.
  case stable(ArchiveName)
  /// The app started receiving user events.
  case becameActive
  /// The app is still visible and stopped receiving user events.
  case resignedActive
  /// The app is no longer visible, and the process may be killed without notice from now on.
  case enteredBackground
  /// The app is about to become visible again.
  case willEnterForeground
  /// The process is about to be suspended.
  case suspending
  /// The storage became available or unavailable: a locked device, an unmounted disk.
  case storage(isAvailable: Bool)
  /// The system is low on memory.
  case memoryLow
  /// The process will end in good order within this time: the app quits, or a signal ends it.
  case terminate(within: Duration)
  /// The app is about to block its actor in a call such as `readLine`.
  ///
  /// Only a turn captures from now on. Ticks may come from any thread, because waiting for input is no hang.
  case turnEnded
  /// The time of ``ApplicationLifecycle/nextTick`` was reached.
  case tick
}

/// An action that the host of an ``ApplicationLifecycle`` has to perform.
public enum LifecycleAction: Sendable, Hashable {
  /// Restore an archive, then report ``LifecycleEvent/restored(_:)``.
  case restore(ArchiveName)
  /// Open an archive without restoring its saved state, which is kept.
  case startFresh(ArchiveName)
  /// Show the app without its state; ``restore(_:)`` follows when the storage becomes available.
  case awaitStorage(ArchiveName)
  /// Encode the state of the archives, on the actor of their objects; ``write`` or ``flush(until:)`` follows.
  case capture([ArchiveName])
  /// Write all captured state, on another thread; nothing waits for it.
  case write
  /// Defer saving these archives until the storage is available and they are restored; their changes stay pending.
  ///
  /// If the app is still waiting for the state of such an archive, its state in memory is now newer: keep it.
  case deferSave([ArchiveName])
  /// Write all captured state, and wait until it is on disk, but no later than this time.
  case flush(until: Duration)
  /// Delete the saved state and pending saves of an archive.
  case remove(ArchiveName)
  /// Release memory that can be rebuilt.
  case releaseCaches
  /// Record, for the next launch, whether the process is suspended.
  case markSuspended(Bool)
  /// Count one tick of running time for the archives that are not yet stable.
  case countTick([ArchiveName])
  /// Record, for the next launch, that the process ended in good order.
  case end
}
