public import RestorationArchive

/// An object whose whole state is one `Codable` value.
///
///     final class Filters: CodableRestorable {
///       let restorationIdentifier: String? = "filters"
///       var restorableState = FilterState()
///     }
public protocol CodableRestorable: Restorable {
  /// The state.
  associatedtype RestorableState: Codable
  /// The whole state; it is set when it was restored.
  var restorableState: RestorableState { get set }
}

extension CodableRestorable {
  /// Encodes the fields of the state.
  public func encodeRestorableState(with coder: StateEncoder) throws { try coder.encodeState(restorableState) }
  /// Decodes the state from its fields; a field that the archive does not have keeps the value that it has.
  public func decodeRestorableState(with coder: StateDecoder) throws {
    restorableState = try coder.decodeState(default: restorableState)
  }
}
