/// All mistakes in what a resolver was made of.
public struct ResolverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One mistake.
  public struct Mistake: Sendable, Hashable, CustomStringConvertible {
    /// In words.
    public let message: String
    /// Where what is wrong was registered.
    public let place: SourcePlace

    /// Place and message, as compilers write them.
    public var description: String { "\(place): \(message)" }
  }

  /// The mistakes, in the order in which things were registered.
  public let mistakes: [Mistake]

  /// One line for each.
  public var description: String {
    (["\(mistakes.count == 1 ? "a mistake" : "\(mistakes.count) mistakes") in the resolver"] + mistakes.map(\.description))
      .joined(separator: "\n")
  }
}
