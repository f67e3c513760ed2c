/// A step that upgrades the states of a type, or the application state, from one schema version to a later one.
///
///     Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
///     Upgrade(applicationStateFrom: 0, to: 1) { state in state.rename("colours", to: "theme") }
///
/// Upgrades of a type are chained, and must lead to the schema version of its class. A node is upgraded before its factory
/// is asked, and the application state before ``RestorationDelegate/shouldRestoreState(from:launch:)``. A node that was
/// saved without a type counts as version 0 of the type that its object has now.
public struct Upgrade {
  /// The type tag; nil for the application state.
  let type: String?
  let from: Int
  let to: Int
  let place: SourcePlace
  let apply: (inout UpgradingState) throws -> Void
  /// The schema version of the class, if the upgrade is registered for a class.
  private(set) var classVersion: Int?

  /// Creates an upgrade step for a type tag.
  public init(
    type: String, from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(type, from, to, SourcePlace(fileID: fileID, line: line), apply)
  }

  /// Creates an upgrade step for a class, by its ``Restorable/restorationType``.
  public init<Object: Restorable>(
    _ type: Object.Type, from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(type.restorationType, from, to, SourcePlace(fileID: fileID, line: line), apply)
    classVersion = type.restorationSchemaVersion
  }

  /// Creates an upgrade step for the application state, between versions of ``RestorationDelegate/applicationSchemaVersion``.
  ///
  /// Application state saved without a version has version 0.
  public init(
    applicationStateFrom from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.init(nil, from, to, SourcePlace(fileID: fileID, line: line), apply)
  }

  private init(_ type: String?, _ from: Int, _ to: Int, _ place: SourcePlace, _ apply: @escaping (inout UpgradingState) throws -> Void) {
    self.type = type
    self.from = from
    self.to = to
    self.apply = apply
    self.place = place
  }
}
