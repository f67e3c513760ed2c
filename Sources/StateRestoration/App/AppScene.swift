import RestorationArchive

/// A scene of an app with its own archive, such as a window that opens and closes independently.
///
///     for identifier in try restoration.savedScenes() where app.shows(identifier) {
///       let scene = try restoration.openScene(identifier) { app.windows(in: identifier) }
///     }
///
/// A saved scene that is not opened is not read: only its file names are listed. ``disconnect()`` closes a scene until
/// it is opened again; ``close()`` deletes its state permanently.
public final class AppScene {
  /// The identifier of the scene, the same at each launch.
  public let identifier: String
  /// The archive of the scene.
  public let archive: ArchiveName
  /// The objects of the scene.
  public let application: RestorableApplication
  weak var restoration: AppRestoration?
  var opening: AppLaunch?

  init(_ identifier: String, _ archive: ArchiveName, _ application: RestorableApplication, _ restoration: AppRestoration) {
    self.identifier = identifier
    self.archive = archive
    self.application = application
    self.restoration = restoration
  }

  /// The result of restoring the scene, when it was opened or when its files became accessible.
  public var launch: AppLaunch? { restoration?.launch(of: archive, application) ?? opening }

  /// Reports a change that is not observed.
  public func setNeedsSave() { restoration?.schedule.noteChange(archive) }

  /// Saves the scene and stops saving it automatically; it can be opened again.
  ///
  /// - Returns: False if the scene cannot be saved yet because its files are inaccessible: it then stays open.
  @discardableResult
  public func disconnect() -> Bool { restoration?.disconnect(self) ?? true }

  /// Closes the scene permanently: cancels its pending saves and deletes its files before it returns.
  ///
  /// The changes of the app and of the other scenes are saved with that, as a whole or not at all. Move an object that is
  /// to stay, such as a tab, to another scene before.
  ///
  /// If the files are inaccessible, they are deleted when they become accessible. After
  /// ``AppRestoration/beginEnding()`` the scene is disconnected instead.
  public func close() { restoration?.close(self) }
}

extension AppRestoration {
  /// The identifiers of the saved scenes, the one that was last written as a whole first.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func savedScenes() throws(StoreError) -> [String] { try store.archives().compactMap(\.scene) }

  /// Opens a scene: restores it if it was saved, and saves it automatically from now on.
  ///
  /// An error in one scene does not affect the others.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the scene, 1 to 120 bytes when encoded as a file name.
  ///   - delegate: Makes the decisions and encodes the state of the scene.
  ///   - roots: Returns the top-level objects of the scene; called at each save and during restoration.
  /// - Returns: The scene.
  /// - Throws: ``RestorationError`` for an invalid identifier, for a scene that is already open, before the
  ///   launch and after the end; ``StoreError``.
  public func openScene(
    _ identifier: String, delegate: (any RestorationDelegate)? = nil, roots: @escaping () -> [any Restorable]
  ) throws -> AppScene {
    guard let archive = ArchiveName.scene(identifier) else {
      throw RestorationError(.wrongTime, "a scene's name is not empty, and fits into a file name: \(identifier.quotedForDisplay)")
    }
    guard !scenes.contains(where: { $0.archive == archive }) else {
      throw RestorationError(.wrongTime, "\(archive) is open")
    }
    guard ![.notRunning, .ended].contains(schedule.lifecycle.phase) else {
      throw RestorationError(.wrongTime, "scenes are opened between launch() and end()")
    }
    let scene = AppScene(identifier, archive, RestorableApplication(roots: roots, delegate: delegate), self)
    scenes.append(scene)
    do {
      scene.opening = try open(archive, scene.application)
    } catch {
      // The scene does not open, and its saved state stays.
      scenes.removeAll { $0 === scene }
      forget(archive)
      _ = schedule.handle(.closed(archive))
      throw error
    }
    return scene
  }

  func disconnect(_ scene: AppScene) -> Bool {
    guard scenes.contains(where: { $0 === scene }) else { return true }
    _ = schedule.handle(.changed(scene.archive))
    handle(.disconnected(scene.archive))
    if schedule.lifecycle.isOpen(scene.archive) { return false }
    scene.opening = scene.launch
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
    forget(scene.archive)
    let hasEnded = schedule.lifecycle.phase == .ended
    if hasEnded { perform([.remove(scene.archive)]) } else { handle(.closed(scene.archive)) }
    // A process that is killed right after closing must not bring the scene back.
    store.write(scene.archive)
    if hasEnded { store.endLaunch() }
    scenes.removeAll { $0 === scene }
  }

  func launch(of archive: ArchiveName, _ application: RestorableApplication) -> AppLaunch? {
    guard let restored = try? results[archive]?.get() else { return nil }
    return AppLaunch(restored, reason: (try? store.beginLaunch()) ?? .launch, application, restoresState: configuration.restoresState)
  }
}
