public import StateRestoration

/// The rebuilt app of a simulated restart, in which an app is saved and dropped, and a new one is built and restored.
///
///     let restart = try restart(&application, header: header) { () -> RestartedApplication in … }
public struct RestartedApplication {
  /// The app, with its roots built as at any launch.
  public let application: RestorableApplication
  /// The resolver for the restoration.
  public let resolver: Resolver
  /// The restoration options.
  public let options: RestorationOptions

  /// Creates a description of the rebuilt app.
  public init(_ application: RestorableApplication, resolver: Resolver, options: RestorationOptions = RestorationOptions()) {
    self.application = application
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
  public let application: RestorableApplication
}

/// Simulates a restart: saves an app, releases it, builds it again and restores it.
///
/// Old objects that the test or another owner keeps alive are not part of the new app, which must build its own.
///
/// - Parameters:
///   - application: The app; set to nil, so that its objects are deallocated unless the test holds them.
///   - header: The header of the archive.
///   - build: Builds the new app, as a launch does.
/// - Returns: The archive, both reports and the new app.
/// - Throws: The errors of saving, building and restoring; ``NothingPreserved`` if the app was not saved.
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

/// An error for an app that was not saved.
public struct NothingPreserved: Error, CustomStringConvertible {
  /// The message.
  public var description: String { "the app was not saved: there is none, or its delegate declined" }

  init() {}
}
