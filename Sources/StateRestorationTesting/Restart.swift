@_exported public import StateRestoration

/// The rebuilt app of a simulated restart, in which an app is saved and dropped, and a new one is built and restored.
///
///     let restart = try restart(&tree, header: header) { () -> RestartedTree in … }
public struct RestartedTree {
  /// The app, with its roots built as at any launch.
  public let tree: RestorableTree
  /// The resolver for the restoration.
  public let resolver: Resolver
  /// The restoration options.
  public let options: RestorationOptions

  /// Creates a description of the rebuilt app.
  public init(_ tree: RestorableTree, resolver: Resolver, options: RestorationOptions = RestorationOptions()) {
    self.tree = tree
    self.resolver = resolver
    self.options = options
  }
}

/// The result of a simulated restart.
public struct Restart {
  /// The archive that was saved and restored.
  public let archive: ArchiveReader
  /// The report on preserving the old app.
  public let preservation: PreservationReport
  /// The report on restoring the new app.
  public let restoration: RestorationReport
  /// The new app.
  public let tree: RestorableTree
}

/// Simulates a restart: saves an app, releases it, builds it again and restores it.
///
/// Old objects that the test or another owner keeps alive are not part of the new app, which must build its own.
///
/// - Parameters:
///   - tree: The app; set to nil, so that its objects are deallocated unless the test holds them.
///   - header: The header of the archive.
///   - build: Builds the new app, as a launch does.
/// - Returns: The archive, both reports and the new app.
/// - Throws: The errors of saving, building and restoring; ``NothingPreserved`` if the app was not saved.
public func restart(
  _ tree: inout RestorableTree?, header: ArchiveHeader = ArchiveHeader(), build: () throws -> RestartedTree
) throws -> Restart {
  guard let preservation = try tree?.preserve(header: header, options: PreservationOptions(failsOnDuplicates: true, isStrict: true)),
    let data = try preservation.archive
  else { throw NothingPreserved() }
  tree = nil
  let archive = try ArchiveReader(data)
  let built = try build()
  let report = try built.tree.restore(from: archive, with: built.resolver, options: built.options)
  return Restart(archive: archive, preservation: preservation.report, restoration: report, tree: built.tree)
}

/// The way in which a simulated process ends.
public enum ProcessEnd: Sendable, CaseIterable {
  /// The user quits, and the app saves.
  case quit
  /// A signal such as SIGTERM, which saves.
  case signal
  /// The app is suspended, which saves, and killed later.
  case suspension
  /// A kill: only what was written is on the disk.
  case kill
  /// A fatal signal of the app's own, such as a trap, outside of restoration: only what was written is on the disk.
  case trap
  /// A hang, which the user ends by a kill: what was captured is written.
  case hang
}

/// Simulates a restart of an app with its store and its scenes: ends its process in one of several ways, and builds it
/// again.
///
///     let next = try restart(&restoration, after: .kill) {
///       let restoration = try app.make(configuration)
///       try restoration.launch()
///       return restoration
///     }
///
/// Neither this process nor the folder is affected by the end: the store is free before `build` is called, whoever still
/// holds the old app, and old objects that live on save nothing any more. A kill and a trap do not save; call
/// `saveNow()` before, as far as the app would have saved by then.
///
/// - Parameters:
///   - restoration: The app; set to nil.
///   - end: The way in which its process ends.
///   - build: Makes the new app, or another build of it, launches it and opens its scenes.
/// - Returns: The new app.
/// - Throws: The errors of saving, after the old app has let go of its store; the error of `build`; ``NothingPreserved``
///   if there is no app.
public func restart(
  _ restoration: inout AppRestoration?, after end: ProcessEnd, build: () throws -> AppRestoration
) throws -> AppRestoration {
  guard let old = restoration else { throw NothingPreserved() }
  restoration = nil
  try old.end(as: end)
  return try build()
}

extension AppRestoration {
  fileprivate func end(as end: ProcessEnd) throws {
    switch end {
    case .quit:
      defer { abandon(as: .ended) }
      try endNow()
    case .signal:
      handle(.terminate(within: .zero))
      store.writeWaiting()
      abandon(as: .signal)
    case .suspension:
      handle(.suspending)
      store.writeWaiting()
      abandon(as: .suspended)
    case .hang:
      store.writeWaiting()
      abandon(as: .killed)
    case .kill: abandon(as: .killed)
    case .trap: abandon(as: .trapped)
    }
  }
}

/// An error for an app that was not saved.
public struct NothingPreserved: Error, CustomStringConvertible {
  /// The message.
  public var description: String { "the app was not saved: there is none, or its delegate declined" }

  init() {}
}
