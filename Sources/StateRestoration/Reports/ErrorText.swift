import RestorationArchive

/// What reports and logs say about an error that an app's callback threw: without archived values, on one line.
enum ErrorText {
  private static let limit = 400

  static func text(of error: any Error) -> String {
    switch error {
    case let error as ArchiveError: error.description
    case let error as RestorationError: error.description
    case let error as DecodingError: text(of: error)
    // The value that could not be encoded is not shown.
    case EncodingError.invalidValue(_, let context): "\(context.debugDescription)\(keys(context.codingPath))".escapedForDisplay
    default: String("\(error)".prefix(limit)).escapedForDisplay
    }
  }

  private static func text(of error: DecodingError) -> String {
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found), .dataCorrupted(let found): context = found
    @unknown default: return "the value could not be decoded"
    }
    let underlying = context.underlyingError.map { ": \(text(of: $0))" } ?? ""
    return String("\(context.debugDescription)\(keys(context.codingPath))\(underlying)".prefix(limit)).escapedForDisplay
  }

  private static func keys(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : " (at \(path.map(\.stringValue).joined(separator: ".")))"
  }
}
