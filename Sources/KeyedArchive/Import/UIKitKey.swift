import RestorationArchive

/// The keys that UIKit uses in a state archive, and what becomes of each (`Spec/imports.md`, chapter 8).
package enum UIKitKey: String, CaseIterable, Sendable {
  case bundleVersion = "UIApplicationStateRestorationBundleVersion"
  case systemVersion = "UIApplicationStateRestorationSystemVersion"
  case timestamp = "UIApplicationStateRestorationTimestamp"
  case userInterfaceIdiom = "UIApplicationStateRestorationUserInterfaceIdiom"
  case majorVersion = "kUIStateRestorationArchiveMajorVersionKey"
  case minorVersion = "kUIStateRestorationArchiveMinorVersionKey"
  case rootIdentifiers = "kRootRestorationIdentifiersKey"
  case classMap = "kViewControllerRestorationClassMapKey"
  case isViewController = "kObjectIsViewControllerKey"
  case className = "kUIStateRestorationClassNameKey"
  case viewWasLoaded = "kViewControllerViewWasLoadedKey"
  case viewData = "kViewRestorationDataKey"
  case children = "kUIViewControllerChildrenKey"
  case selectedViewController = "kTabBarSelectedViewControllerKey"
  /// The stored string is not confirmed: that of the public constant, and that without its suffix, are both read.
  case storyboard = "UIStateRestorationViewControllerStoryboardKey"
  case storyboardWithoutSuffix = "UIStateRestorationViewControllerStoryboard"
  case pathProxy = "kObjectIdentifierPathProxyIdentifierPathKey"

  /// Where UIKit uses the key.
  package enum Place: String, Sendable {
    /// In the outermost archive.
    case root
    /// In the archive of an object.
    case object
    /// In a reference.
    case reference
  }

  /// Where UIKit uses the key.
  package var place: Place {
    switch self {
    case .bundleVersion, .systemVersion, .timestamp, .userInterfaceIdiom, .majorVersion, .minorVersion, .rootIdentifiers, .classMap:
      .root
    case .isViewController, .className, .viewWasLoaded, .viewData, .children, .selectedViewController, .storyboard,
      .storyboardWithoutSuffix:
      .object
    case .pathProxy: .reference
    }
  }

  /// What the value becomes: a header key, an attribute key, or a part of a node.
  package var target: String {
    switch self {
    case .bundleVersion: "bundleVersion"
    case .systemVersion: "systemVersion"
    case .timestamp: "timestamp"
    case .userInterfaceIdiom: "userInterfaceIdiom"
    case .majorVersion: "uikit.majorVersion"
    case .minorVersion: "uikit.minorVersion"
    case .rootIdentifiers: "nodes"
    case .classMap: "uikit.restorationClass"
    case .isViewController: "uikit.isViewController"
    case .className: "type"
    case .viewWasLoaded: "uikit.viewWasLoaded"
    case .viewData: ":views"
    case .children: "uikit.children"
    case .selectedViewController: "uikit.selectedViewController"
    case .storyboard, .storyboardWithoutSuffix: "provider"
    case .pathProxy: "reference"
    }
  }

  /// The class of references.
  static let pathProxyClass = "_UIObjectIdentifierPathProxy"

  /// UIKit's number of each idiom.
  package static let idioms: [Int128: String] = [
    -1: "unspecified", 0: "phone", 1: "pad", 2: "tv", 3: "carPlay", 5: "mac", 6: "vision",
  ]

  /// The strings of the keys at a place.
  static func names(at place: Place) -> Set<String> {
    Set(allCases.filter { $0.place == place }.map(\.rawValue))
  }
}

/// The text of paths in UIKit's archives: components joined with a slash, without escapes.
///
/// Children of containers have a component of their own, `:[n]:`.
enum UIKitPath {
  /// Returns the components of a path; nil if they cannot be a path of ours.
  static func components(_ text: String) -> [String]? {
    let components = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    return (try? RestorationPath(components: components)) == nil ? nil : components
  }

  /// Returns the path of a reference; nil if the object is none.
  static func reference(_ object: KeyedObject, in archive: KeyedArchive) -> RestorationPath? {
    guard object.type?.name == UIKitKey.pathProxyClass, let text = archive.string(object[UIKitKey.pathProxy.rawValue]) else { return nil }
    return components(text).flatMap { try? RestorationPath(components: $0) }
  }
}
