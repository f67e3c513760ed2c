/// Why the containers of a value cannot write straight away.
///
/// A class, because it is tested at every field: nil of an enumeration would take longer to tell.
final class EncodingObstacle: Sendable {
  enum Kind: Sendable {
    /// The value was encoded, or another one took its place.
    case ended
    /// A wrong use that could not be reported where it happened.
    case failure(EncodingError)
    /// Nothing is wrong, but there are nested containers, and writing under the key of one takes its place.
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

  /// Whether containers may write all the same.
  var permitsWriting: Bool {
    if case .nestedContainers = kind { true } else { false }
  }
}
