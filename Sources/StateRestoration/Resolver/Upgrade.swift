/// Brings states of a type from one schema version to a later one.
///
///     Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
///
/// Upgrades of a type are chained; a node is upgraded before a factory sees it.
public struct Upgrade {
  let type: String
  let from: Int
  let to: Int
  let place: SourcePlace
  let apply: (inout UpgradingState) throws -> Void

  /// Makes a step from one schema version to a later one.
  public init(
    type: String, from: Int, to: Int, fileID: StaticString = #fileID, line: UInt = #line,
    _ apply: @escaping (inout UpgradingState) throws -> Void
  ) {
    self.type = type
    self.from = from
    self.to = to
    self.apply = apply
    place = SourcePlace(fileID: fileID, line: line)
  }
}
