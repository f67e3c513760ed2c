/// The rule by which an object is found or created.
public enum ResolutionRule: Sendable, Hashable {
  /// A factory for this exact path.
  case path(String, SourcePlace)
  /// The factory of the node's type.
  case type(String, SourcePlace)
  /// A factory for a pattern of paths.
  case pattern(String, SourcePlace)
  /// The delegate.
  case delegate
  /// An object that already existed at the path.
  case liveObject
  /// A provider.
  case provider(String, SourcePlace)

  /// The source location of the registration, if the rule has one.
  public var place: SourcePlace? {
    switch self {
    case .path(_, let place), .type(_, let place), .pattern(_, let place), .provider(_, let place): place
    case .delegate, .liveObject: nil
    }
  }
}

extension ResolutionRule: CustomStringConvertible {
  /// A short description of the rule.
  public var description: String {
    switch self {
    case .path(let path, _): "path \(path.quotedForDisplay)"
    case .type(let tag, _): "type \(tag.quotedForDisplay)"
    case .pattern(let pattern, _): "pattern \(pattern.quotedForDisplay)"
    case .delegate: "the delegate"
    case .liveObject: "the existing object"
    case .provider(let name, _): "provider \(name.quotedForDisplay)"
    }
  }
}
