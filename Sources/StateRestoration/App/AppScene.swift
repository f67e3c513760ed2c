import RestorationArchive

/// A scene of an app, with an archive of its own: a window that is opened and closed by itself.
///
///     for identifier in try restoration.savedScenes() where app.shows(identifier) {
///       let scene = try restoration.openScene(identifier) { app.windows(in: identifier) }
///     }
///
/// A scene that is saved and not opened costs its name. ``disconnect()`` puts a scene away until it is opened again, ``close()`` deletes its
/// state for good.
public final class AppScene {
  /// Its name, the same at each launch.
  public let identifier: String
  /// The archive of the scene.
  public let archive: ArchiveName
  /// Its objects.
  public let application: RestorableApplication
  weak var restoration: AppRestoration?
  var opening: AppLaunch?

  init(_ identifier: String, _ archive: ArchiveName, _ application: RestorableApplication, _ restoration: AppRestoration) {
    self.identifier = identifier
    self.archive = archive
    self.application = application
    self.restoration = restoration
  }

  /// What was restored when it was opened, or when its files could be reached.
  public var launch: AppLaunch? { restoration?.launch(of: archive, application) ?? opening }

  /// Says that something changed that does not report its changes.
  public func setNeedsSave() { restoration?.changes.add(archive) }

  /// Saves the scene and puts it away; it is not saved by itself any more, and can be opened again.
  ///
  /// - Returns: False if it cannot be saved yet, because its files cannot be reached: then it stays open.
  @discardableResult
  public func disconnect() -> Bool { restoration?.disconnect(self) ?? true }

  /// Closes the scene for good: its state is deleted, and no save that is under way brings it back.
  public func close() { restoration?.close(self) }
}

extension AppRestoration {
  /// The scenes that were saved, the one saved last first.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func savedScenes() throws(StoreError) -> [String] { try store.archives().compactMap(\.scene) }

  /// Opens a scene: restores it if it was saved, and saves it by itself from now on.
  ///
  /// A scene that cannot be restored says nothing against the others.
  ///
  /// - Parameters:
  ///   - identifier: Its name, 1 to 120 bytes as a file name.
  ///   - delegate: Decides for the scene, and has its state.
  ///   - roots: Its objects of the topmost level; called at each save and while it is restored.
  /// - Returns: The scene.
  /// - Throws: ``RestorationError`` for a name that cannot be used, for a scene that is open, and before the launch; ``StoreError``.
  public func openScene(
    _ identifier: String, delegate: (any RestorationDelegate)? = nil, roots: @escaping () -> [any Restorable]
  ) throws -> AppScene {
    guard let archive = ArchiveName.scene(identifier) else {
      throw RestorationError(.wrongTime, "a scene's name is not empty, and fits into a file name: \(identifier.quotedForDisplay)")
    }
    guard !scenes.contains(where: { $0.archive == archive }) else {
      throw RestorationError(.wrongTime, "\(archive) is open")
    }
    guard lifecycle.phase != .notRunning, lifecycle.phase != .ended else {
      throw RestorationError(.wrongTime, "scenes are opened between launch() and end()")
    }
    let scene = AppScene(identifier, archive, RestorableApplication(roots: roots, delegate: delegate), self)
    scenes.append(scene)
    do {
      scene.opening = try open(archive, scene.application)
    } catch {
      // It is not open, and what was saved of it stays.
      scenes.removeAll { $0 === scene }
      forget(archive)
      _ = lifecycle.handle(.closed(archive), at: clock.now)
      throw error
    }
    return scene
  }

  func disconnect(_ scene: AppScene) -> Bool {
    guard scenes.contains(where: { $0 === scene }) else { return true }
    _ = lifecycle.handle(.changed(scene.archive), at: clock.now)
    handle(.disconnected(scene.archive))
    if lifecycle.isOpen(scene.archive) { return false }
    scene.opening = scene.launch
    forget(scene.archive)
    scenes.removeAll { $0 === scene }
    return true
  }

  func close(_ scene: AppScene) {
    guard scenes.contains(where: { $0 === scene }) else { return }
    forget(scene.archive)
    handle(.closed(scene.archive))
    scenes.removeAll { $0 === scene }
  }

  func launch(of archive: ArchiveName, _ application: RestorableApplication) -> AppLaunch? {
    guard let restored = try? results[archive]?.get() else { return nil }
    return AppLaunch(restored, reason: (try? store.beginLaunch()) ?? .launch, application)
  }
}
