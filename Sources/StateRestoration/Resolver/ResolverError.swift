/// All mistakes in the registrations of a resolver.
public struct ResolverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One mistake.
  public struct Mistake: Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public let message: String
    /// The source location of the faulty registration.
    public let place: SourcePlace

    /// The location and message, in compiler format.
    public var description: String { "\(place): \(message)" }
  }

  /// The mistakes, in registration order.
  public let mistakes: [Mistake]

  /// A heading, then one line for each mistake.
  public var description: String {
    (["\(mistakes.count == 1 ? "a mistake" : "\(mistakes.count) mistakes") in the resolver"] + mistakes.map(\.description))
      .joined(separator: "\n")
  }
}
