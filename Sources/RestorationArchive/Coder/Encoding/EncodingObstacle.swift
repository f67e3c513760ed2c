/// The reason why the containers of a value must not use the fast path for writing fields.
///
/// A class, because it is tested for every field, and testing an optional enumeration for nil takes longer.
final class EncodingObstacle: Sendable {
  enum Kind: Sendable {
    /// The value has been encoded or replaced.
    case ended
    /// A misuse that could not be reported where it happened.
    case failure(EncodingError)
    /// There are nested containers; writing under the key of one replaces it. This is not an error.
    case nestedContainers
  }

  let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  static let ended = EncodingObstacle(.ended)
  static let nestedContainers = EncodingObstacle(.nestedContainers)

  static func failure(_ error: EncodingError) -> EncodingObstacle {
    EncodingObstacle(.failure(error))
  }

  /// Whether containers may write nevertheless.
  var permitsWriting: Bool {
    if case .nestedContainers = kind { true } else { false }
  }
}
