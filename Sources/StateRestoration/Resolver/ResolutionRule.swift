/// By which rule an object was found or made, or would be.
public enum ResolutionRule: Sendable, Hashable {
  /// A factory for exactly this path.
  case path(String, SourcePlace)
  /// The factory of the node's type.
  case type(String, SourcePlace)
  /// A factory for a pattern of paths.
  case pattern(String, SourcePlace)
  /// The delegate.
  case delegate
  /// An object was at the path already.
  case liveObject
  /// A declarative provider.
  case provider(String, SourcePlace)

  /// Where it was registered, if it was.
  public var place: SourcePlace? {
    switch self {
    case .path(_, let place), .type(_, let place), .pattern(_, let place), .provider(_, let place): place
    case .delegate, .liveObject: nil
    }
  }
}

extension ResolutionRule: CustomStringConvertible {
  /// In a few words.
  public var description: String {
    switch self {
    case .path(let path, _): "path \(path.quotedForDisplay)"
    case .type(let tag, _): "type \(tag.quotedForDisplay)"
    case .pattern(let pattern, _): "pattern \(pattern.quotedForDisplay)"
    case .delegate: "the delegate"
    case .liveObject: "the object that was there"
    case .provider(let name, _): "provider \(name.quotedForDisplay)"
    }
  }
}
