import ArchiveFormat

/// Tells a declarative provider what to make for a node, as UIKit's storyboard name and identifier do (Spec §3.2).
public struct ProviderReference: Sendable {
  /// The name of the provider.
  public var name: String
  /// The name of the thing in it.
  public var identifier: String

  /// Makes a reference.
  ///
  /// Both names must have 1 to 1,024 bytes to be stored.
  public init(name: String, identifier: String) {
    self.name = name
    self.identifier = identifier
  }
}

extension ProviderReference: Equatable {
  /// Whether both names are the same bytes.
  public static func == (left: ProviderReference, right: ProviderReference) -> Bool {
    left.name.isIdenticalText(to: right.name) && left.identifier.isIdenticalText(to: right.identifier)
  }
}
