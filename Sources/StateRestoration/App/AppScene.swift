import RestorationArchive

/// A scene of an app with its own archive, such as a window that opens and closes independently.
///
///     for identifier in try restoration.savedScenes() where app.shows(identifier) {
///       let scene = try restoration.openScene(identifier) { app.windows(in: identifier) }
///     }
///
/// A saved scene that is not opened is not read: only its file names are listed. ``disconnect()`` closes a scene until
/// it is opened again. ``closeRecoverably(evenIfSensitive:)`` is for a window that the user closes and may want back;
/// ``close()`` deletes the state permanently.
public final class AppScene {
  /// The identifier of the scene, the same at each launch.
  public let identifier: String
  /// The archive of the scene.
  public let archive: ArchiveName
  /// The objects of the scene.
  public let tree: RestorableTree
  weak var restoration: AppRestoration?
  var opening: AppLaunch?

  init(_ identifier: String, _ archive: ArchiveName, _ tree: RestorableTree, _ restoration: AppRestoration) {
    (self.identifier, self.archive, self.tree, self.restoration) = (identifier, archive, tree, restoration)
  }

  /// The result of restoring the scene, when it was opened or when its files became accessible.
  public var launch: AppLaunch? { (try? restoration?.results[archive]?.get()) ?? opening }

  /// Reports a change that is not observed.
  public func setNeedsSave() { restoration?.schedule.noteChange(archive) }

  /// Captures the scene for a last save, and stops saving it automatically; it can be opened again.
  ///
  /// Another thread writes the save. If the process is killed first, the scene has its last saved state, and is among those left
  /// open if it was on that list.
  ///
  /// - Returns: False if the scene cannot be saved yet, because its files are inaccessible or this is a callback of its objects: it
  ///   then stays open.
  @discardableResult
  public func disconnect() -> Bool { restoration?.disconnect(self) ?? true }

  /// Closes the scene permanently: cancels its pending saves and deletes its files before it returns.
  ///
  /// The changes of the app and of the other scenes are saved with that, as a whole or not at all. Move an object that is
  /// to stay, such as a tab, to another scene before.
  ///
  /// If the files are inaccessible, they are deleted when they become accessible. After
  /// ``AppRestoration/beginEnding()`` the scene is disconnected instead; if that is refused (``disconnect()``), it stays open.
  public func close() { restoration?.close(self) }

  /// Closes the scene with a way back: it is among the recently closed scenes, and can be reopened with its state.
  ///
  /// The state is saved before this returns. ``StoreLimits`` limits how many scenes can be reopened, for how long, and their
  /// size. After ``AppRestoration/beginEnding()`` the scene is disconnected instead (``disconnect()``).
  ///
  /// - Parameter evenIfSensitive: Whether a scene with sensitive values can be reopened too; if not, it is closed
  ///   permanently. Values that are nil or empty do not count.
  /// - Returns: Whether the scene can be reopened; if not, it is closed permanently. False for a scene that is closed already.
  ///   While the app is ending, whether the scene is disconnected; if not, it stays open.
  /// - Throws: ``StoreError``; ``RestorationError`` if its files are inaccessible. The scene then stays open.
  public func closeRecoverably(evenIfSensitive: Bool = false) throws -> Bool {
    try restoration?.closeRecoverably(self, evenIfSensitive: evenIfSensitive) ?? false
  }
}

extension AppRestoration {
  /// The identifiers of the saved scenes, the one that was last written as a whole first.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func savedScenes() throws(StoreError) -> [String] { try store.archives().compactMap(\.scene) }

  /// The identifiers of the saved scenes that were open when the app last ended or died, in the order in which they were
  /// opened: those to open at the launch.
  ///
  /// A scene that was closed, or disconnected before ``beginEnding()``, is not among them. While the app runs, its open
  /// scenes that were saved are.
  ///
  /// - Throws: ``StoreError``.
  public func scenesLeftOpen() throws(StoreError) -> [String] { try store.openScenes().compactMap(\.scene) }

  /// Opens a scene: restores it if it was saved, and saves it automatically from now on.
  ///
  /// A scene that was closed recoverably starts fresh, and what is saved then is a newer scene:
  /// ``reopenScene(_:delegate:roots:)`` opens the closed one with its state. An error in one scene does not affect the others.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the scene, 1 to 120 bytes when encoded as a file name.
  ///   - delegate: Makes the decisions and encodes the state of the scene.
  ///   - roots: Returns the top-level objects of the scene; called at each save and during restoration.
  /// - Returns: The scene.
  /// - Throws: ``RestorationError/Code/unusableName`` for an invalid identifier; ``RestorationError/Code/wrongTime`` for a scene
  ///   that is already open, before the launch and after the end; ``StoreError``.
  public func openScene(
    _ identifier: String, delegate: (any RestorationDelegate)? = nil, roots: @escaping () -> [any Restorable]
  ) throws -> AppScene {
    guard let archive = ArchiveName.scene(identifier) else {
      let limit = "a scene's name has 1 to 120 bytes in a file name, where each byte other than a-z, 0-9, - and _ takes three"
      throw RestorationError(.unusableName, "\(limit): \(identifier.quotedForDisplay)")
    }
    try expectNotOpen(archive)
    let scene = AppScene(identifier, archive, RestorableTree(roots: roots, delegate: delegate), self)
    scenes.append(scene)
    do {
      scene.opening = try open(archive, scene.tree)
      guard scenes.contains(where: { $0 === scene }) else {
        throw RestorationError(.wrongTime, "\(archive) was closed while it was restored")
      }
    } catch {
      // The scene does not open, and its saved state stays.
      scenes.removeAll { $0 === scene }
      forget(archive)
      leaveFiles(of: archive)
      throw error
    }
    return scene
  }

  /// The scenes that were closed and can be reopened, the last closed first.
  ///
  /// ``StoredState/timestamp`` is the time at which a scene was closed, and ``StoredState/archive`` has its identifier. If a
  /// newer scene has that identifier, ``StoredState/offer`` restores the closed one into it. So it is with two closed scenes of
  /// one identifier: the last closed one is reopened, and the one before is then restored into it by its offer.
  ///
  /// - Throws: ``StoreError``.
  public func recentlyClosedScenes() throws(StoreError) -> [StoredState] { try store.closedStates(at: configuration.date()) }

  /// Opens a recently closed scene again, with its state; it is open from then on, whatever is saved later.
  ///
  /// If a scene with its identifier is open, ``restore(_:without:evenIfDiedTwice:)-67z3b`` with ``StoredState/offer`` restores
  /// the closed one into it.
  ///
  /// - Parameters:
  ///   - closed: The scene, from ``recentlyClosedScenes()``.
  ///   - delegate: Makes the decisions and encodes the state of the scene.
  ///   - roots: Returns the top-level objects of the scene; called at each save and during restoration.
  /// - Returns: The scene.
  /// - Throws: ``StoreError/noGeneration(_:)`` if it cannot be reopened any more, or if a newer scene with its identifier
  ///   was saved or closed; the errors of ``openScene(_:delegate:roots:)``.
  public func reopenScene(
    _ closed: StoredState, delegate: (any RestorationDelegate)? = nil, roots: @escaping () -> [any Restorable]
  ) throws -> AppScene {
    try expectNotOpen(closed.archive)
    // A newer scene of that name that was just disconnected may still have a pending save.
    try store.deliver(closed.archive)
    try store.reopen(closed.generation)
    do {
      return try openScene(closed.archive.scene ?? "", delegate: delegate, roots: roots)
    } catch {
      try? store.closeAgain(closed.generation)
      throw error
    }
  }

  /// Takes an archive out of the lifecycle, and keeps its files; changes of other archives are captured, as with every closing.
  private func leaveFiles(of archive: ArchiveName) {
    perform(schedule.handle(.closed(archive)).filter { if case .remove = $0 { false } else { true } })
    store.startWriting()
  }

  private func expectNotOpen(_ archive: ArchiveName) throws {
    // A scene that is being closed has left the lifecycle, and is captured once more.
    guard !schedule.lifecycle.isOpen(archive), !scenes.contains(where: { $0.archive == archive }) else {
      throw RestorationError(.wrongTime, "\(archive) is open")
    }
    switch schedule.lifecycle.phase {
    case .notRunning: throw RestorationError(.wrongTime, "scenes are opened after launch()")
    case .ended: throw RestorationError(.wrongTime, "no scene is opened any more: the app has ended, by a call or by a signal")
    default: break
    }
  }

  func closeRecoverably(_ scene: AppScene, evenIfSensitive: Bool) throws -> Bool {
    guard scenes.contains(where: { $0 === scene }) else { return false }
    let hasEnded = schedule.lifecycle.phase == .ended
    if isEnding, !hasEnded { return disconnect(scene) }
    // What moved from this scene to another one is saved there first.
    if !hasEnded { try saveNow() }
    guard configuration.limits.closedScenes > 0, let bytes = try lastState(of: scene),
      try evenIfSensitive || !ArchiveTree(decoding: ArchiveReader(bytes)).hasSensitiveContent
    else {
      close(scene)
      return false
    }
    try store.close(scene.archive, with: bytes)
    forget(scene.archive)
    leaveFiles(of: scene.archive)
    if hasEnded { store.endLaunch() }
    scenes.removeAll { $0 === scene }
    return true
  }

  /// Saves a scene, and returns its archive; nil if the delegate wants it forgotten, or if nothing was ever saved.
  private func lastState(of scene: AppScene) throws -> [UInt8]? {
    defer { reportPreserved() }
    do {
      guard let preservation = try preserveEverything(scene.archive), preservation.decision != .forget else { return nil }
      // Pins the states that this one lacks, and comes after all earlier saves.
      guard try store.save(preservation, as: scene.archive, now: configuration.date()) != .deferred else {
        throw RestorationError(.notRestoredYet, "the storage is not accessible yet; the scene stays open")
      }
      // An earlier save that came later would open the scene again.
      store.write(scene.archive)
      guard !store.mailboxes.archives.contains(scene.archive) else {
        throw RestorationError(.notRestoredYet, "its changes could not be written; the scene stays open")
      }
      if let data = try preservation.archive { return [UInt8](data) }
      // The delegate keeps what was saved before.
      let load = try store.load(scene.archive)
      if load.reason == .nothingSaved { return nil }
      guard let bytes = load.archive.flatMap({ store.reader.opened($0.generation)?.bytes }) else {
        throw RestorationError(.notRestoredYet, "its saved state cannot be read; the scene stays open")
      }
      return bytes
    } catch {
      // The capture was not for nothing: the changes are saved later.
      _ = schedule.handle(.changed(scene.archive))
      throw error
    }
  }

  func disconnect(_ scene: AppScene) -> Bool {
    guard scenes.contains(where: { $0 === scene }) else { return true }
    // Within a callback of its objects, it cannot be captured, or not as a whole.
    guard !scene.tree.isBusy else { return false }
    _ = schedule.handle(.changed(scene.archive))
    handle(.disconnected(scene.archive))
    if schedule.lifecycle.isOpen(scene.archive) { return false }
    // Afterwards: an earlier save that ends meanwhile is not the last one.
    if isEnding { closedWhileEnding.insert(scene.archive) } else { store.noteScene(scene.archive, isOpen: false) }
    scene.opening = scene.launch
    store.noteLeft(scene.archive)
    forget(scene.archive)
    scenes.removeAll { $0 === scene }
    return true
  }

  func close(_ scene: AppScene) {
    guard scenes.contains(where: { $0 === scene }) else { return }
    if isEnding, schedule.lifecycle.phase != .ended {
      _ = disconnect(scene)
      return
    }
    noteStorage()
    store.noteLeft(scene.archive)
    forget(scene.archive)
    let hasEnded = schedule.lifecycle.phase == .ended
    if hasEnded { perform([.remove(scene.archive)]) } else { handle(.closed(scene.archive)) }
    // A process that is killed right after closing must not bring the scene back. Without storage, what has moved from the scene
    // is not captured either.
    if schedule.lifecycle.isStorageAvailable { store.write(scene.archive) }
    if hasEnded { store.endLaunch() }
    scenes.removeAll { $0 === scene }
  }
}
