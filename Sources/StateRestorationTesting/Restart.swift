public import StateRestoration

/// The death of a process without a process: the state of an app is saved, everything is dropped, and another one is built and restored.
///
///     let (report, _) = try restart(application, header: header) { () -> RestartedApplication in … }
public struct RestartedApplication {
  /// The app, its roots built as at any launch.
  public let application: RestorableApplication
  /// What it restores with.
  public let resolver: Resolver
  /// How it restores.
  public let options: RestorationOptions

  /// Says how an app is built.
  public init(_ application: RestorableApplication, resolver: Resolver, options: RestorationOptions = RestorationOptions()) {
    self.application = application
    self.resolver = resolver
    self.options = options
  }
}

/// What came of a restart.
public struct Restart {
  /// The archive that was saved and restored.
  public let archive: ArchiveReader
  /// What became of the objects when they were saved.
  public let preservation: PreservationReport
  /// What became of the nodes when they were restored.
  public let restoration: RestorationReport
  /// The new app.
  public let application: RestorableApplication
}

/// Saves an app, lets go of it, builds it anew and restores it.
///
/// Objects that are still alive afterwards, because something else than the app holds them, are none of the new app's: it must build its own.
///
/// - Parameters:
///   - application: The app; it is set to nil, so that its objects go unless the test holds them.
///   - header: What the archive says about itself.
///   - build: Builds the new app, as a launch does.
/// - Returns: The archive, both reports and the new app.
/// - Throws: What saving, building and restoring throw; ``NothingPreserved`` if the app did not want to be saved.
public func restart(
  _ application: inout RestorableApplication?, header: ArchiveHeader = ArchiveHeader(), build: () throws -> RestartedApplication
) throws -> Restart {
  guard let preservation = try application?.preserve(header: header, options: PreservationOptions(duplicates: .fail, isStrict: true)),
    let data = try preservation.archive
  else { throw NothingPreserved() }
  application = nil
  let archive = try ArchiveReader(data)
  let built = try build()
  let report = try built.application.restore(from: archive, with: built.resolver, options: built.options)
  return Restart(archive: archive, preservation: preservation.report, restoration: report, application: built.application)
}

/// An app did not want to be saved.
public struct NothingPreserved: Error, CustomStringConvertible {
  /// In words.
  public var description: String { "the app was not saved: there is none, or its delegate declined" }

  init() {}
}
