import ArchiveFormat

/// The name from which a provider creates a node's object, like a storyboard name and identifier in UIKit
/// (Spec §3.2).
public struct ProviderReference: Sendable {
  /// The name of the provider.
  public var name: String
  /// The object's name within the provider.
  public var identifier: String

  /// Creates a reference.
  ///
  /// Only names of 1 to 1,024 bytes can be stored.
  public init(name: String, identifier: String) {
    self.name = name
    self.identifier = identifier
  }
}

extension ProviderReference: Equatable {
  /// Returns whether both names have the same bytes.
  public static func == (left: ProviderReference, right: ProviderReference) -> Bool {
    left.name.isIdenticalText(to: right.name) && left.identifier.isIdenticalText(to: right.identifier)
  }
}
