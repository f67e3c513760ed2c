/// The kind of user interface that an archive was saved from (`Spec/registry.md`).
///
/// Unknown idioms are preserved.
public struct UserInterfaceIdiom: RawRepresentable, Sendable, Hashable {
  /// The name, as stored in archives.
  public let rawValue: String

  /// Creates an idiom from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A phone.
  public static let phone = Self(rawValue: "phone")
  /// A tablet.
  public static let pad = Self(rawValue: "pad")
  /// A television.
  public static let tv = Self(rawValue: "tv")
  /// A car display.
  public static let carPlay = Self(rawValue: "carPlay")
  /// A Mac.
  public static let mac = Self(rawValue: "mac")
  /// A headset.
  public static let vision = Self(rawValue: "vision")
  /// A watch.
  public static let watch = Self(rawValue: "watch")
  /// Any other desktop.
  public static let desktop = Self(rawValue: "desktop")
  /// A text terminal.
  public static let terminal = Self(rawValue: "terminal")
  /// An unspecified idiom.
  public static let unspecified = Self(rawValue: "unspecified")
}
