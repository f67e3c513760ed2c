public import Foundation
import RestorationArchive
import StateRestoration

/// The classes of your own whose objects an `NSCoder` may encode and decode, each with the name under which archives
/// store it.
///
///     static let restorableClasses: ObjectClasses = ["Article": Article.self, "Bookmark": Bookmark.self]
///
/// Only listed classes are ever instantiated, whatever an archive contains. The names belong to the archives: keep a
/// name when you rename its class. If several names have the same class, its objects are encoded under the first one,
/// and decoded under all of them. A name is not empty, and does not begin with `NS`, which is reserved for Foundation's
/// classes; those need not be listed.
///
/// Subclasses are listed individually.
public struct ObjectClasses: Sendable, ExpressibleByDictionaryLiteral {
  private var classes: [String: NamedClass] = [:]
  private var names: [ObjectIdentifier: String] = [:]
  /// A mistake in the list.
  private var mistake: String?

  private struct NamedClass {
    let name: String
    let objectClass: AnyClass
  }

  /// Creates a list of classes by name.
  public init(dictionaryLiteral elements: (String, any (NSObject & NSSecureCoding).Type)...) {
    for (name, objectClass) in elements { add(objectClass, name) }
  }

  private mutating func add(_ objectClass: any (NSObject & NSSecureCoding).Type, _ name: String) {
    if name.isEmpty || name.hasPrefix("NS") { mistake = "\(name.quoted) cannot be the name of a class" }
    if !objectClass.supportsSecureCoding { mistake = "\(objectClass) does not support secure coding" }
    if classes.updateValue(NamedClass(name: name, objectClass: objectClass), forKey: name) != nil {
      mistake = "the name \(name.quoted) is listed twice"
    }
    names[ObjectIdentifier(objectClass)] = names[ObjectIdentifier(objectClass)] ?? name
  }

  /// Throws if the list has a mistake.
  func check() throws {
    if let mistake { throw RestorationError(.objectClass, "list of classes: \(mistake)") }
  }

  /// Returns the name of a class, or nil if it is not listed.
  func name(of objectClass: AnyClass) -> String? { names[ObjectIdentifier(objectClass)] }

  /// Returns the class with a name, or nil if it is not listed.
  ///
  /// Names are compared by their bytes.
  func objectClass(named name: String) -> AnyClass? {
    classes[name].flatMap { $0.name.utf8.elementsEqual(name.utf8) ? $0.objectClass : nil }
  }

  /// All classes.
  var all: [AnyClass] { classes.values.map(\.objectClass) }
}

extension String {
  /// The text in quotation marks, escaped and shortened for messages.
  var quoted: String { "\"\(String(prefix(100)).escapedForDisplay)\"" }
}

extension RestorationError.Code {
  /// A class that an `NSCoder` does not accept: not listed, of another kind than requested, or without secure coding.
  public static let objectClass = Self(rawValue: "object-class")
  /// An object that contains itself.
  public static let objectCycle = Self(rawValue: "object-cycle")
  /// More objects than an `NSCoder` encodes for a node.
  public static let objectLimit = Self(rawValue: "object-limit")
  /// An object whose `init(coder:)` returned nil.
  public static let objectRefused = Self(rawValue: "object-refused")
  /// A call that this package's `NSCoder` does not support.
  public static let unsupportedCall = Self(rawValue: "unsupported-call")
}
