public import RestorationArchive

/// An object whose entire state is a single `Codable` value.
///
///     final class Filters: CodableRestorable {
///       let restorationIdentifier: String? = "filters"
///       var restorableState = FilterState()
///     }
public protocol CodableRestorable: Restorable {
  /// The type of the state.
  associatedtype RestorableState: Codable
  /// The entire state of the object; set after decoding.
  var restorableState: RestorableState { get set }
}

extension CodableRestorable {
  /// Encodes the fields of the state.
  public func encodeRestorableState(with coder: StateEncoder) throws { try coder.encodeState(restorableState) }
  /// Decodes the state from its fields; fields missing from the archive keep their current values.
  public func decodeRestorableState(with coder: StateDecoder) throws {
    restorableState = try coder.decodeState(default: restorableState)
  }
}
