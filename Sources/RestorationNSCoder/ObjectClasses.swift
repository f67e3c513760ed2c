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
  private var classes: [TextKey: any (NSObject & NSSecureCoding).Type] = [:]
  private var names: [ObjectIdentifier: String] = [:]
  /// A mistake in the list.
  private var mistake: String?

  /// Creates a list of classes by name.
  public init(dictionaryLiteral elements: (String, any (NSObject & NSSecureCoding).Type)...) {
    for (name, objectClass) in elements { add(objectClass, name) }
  }

  private mutating func add(_ objectClass: any (NSObject & NSSecureCoding).Type, _ name: String) {
    if name.isEmpty || name.hasPrefix("NS") { mistake = "\(name.quoted) cannot be the name of a class" }
    if !objectClass.supportsSecureCoding { mistake = "\(objectClass) does not support secure coding" }
    if classes.updateValue(objectClass, forKey: TextKey(name)) != nil {
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
  func objectClass(named name: String) -> AnyClass? { classes[TextKey(name)] }

  var all: [AnyClass] { classes.values.map { $0 } }
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

/// The Foundation classes whose objects are stored as dictionaries with the name of their class (rule R-2-5), because
/// the format has no value for them.
///
/// `Spec/objects.md` lists their fields.
enum FoundationClass: CaseIterable {
  case null, value, decimal, url, mutableString, mutableData, mutableArray, set, mutableSet, countedSet, orderedSet, mutableOrderedSet,
    dictionary, mutableDictionary, indexPath, indexSet, mutableIndexSet, attributedString, mutableAttributedString, locale, timeZone,
    calendar, dateComponents, dateInterval, personName, queryItem, regularExpression, measurement, unit, error

  /// The name in archives, which is the same on all systems.
  var name: String { entry.name }
  var objectClass: AnyClass { entry.objectClass }

  private var entry: (name: String, objectClass: AnyClass) {
    switch self {
    case .null: ("NSNull", NSNull.self)
    case .value: ("NSValue", NSValue.self)
    case .decimal: ("NSDecimalNumber", NSDecimalNumber.self)
    case .url: ("NSURL", NSURL.self)
    case .mutableString: ("NSMutableString", NSMutableString.self)
    case .mutableData: ("NSMutableData", NSMutableData.self)
    case .mutableArray: ("NSMutableArray", NSMutableArray.self)
    case .set: ("NSSet", NSSet.self)
    case .mutableSet: ("NSMutableSet", NSMutableSet.self)
    case .countedSet: ("NSCountedSet", NSCountedSet.self)
    case .orderedSet: ("NSOrderedSet", NSOrderedSet.self)
    case .mutableOrderedSet: ("NSMutableOrderedSet", NSMutableOrderedSet.self)
    case .dictionary: ("NSDictionary", NSDictionary.self)
    case .mutableDictionary: ("NSMutableDictionary", NSMutableDictionary.self)
    case .indexPath: ("NSIndexPath", NSIndexPath.self)
    case .indexSet: ("NSIndexSet", NSIndexSet.self)
    case .mutableIndexSet: ("NSMutableIndexSet", NSMutableIndexSet.self)
    case .attributedString: ("NSAttributedString", NSAttributedString.self)
    case .mutableAttributedString: ("NSMutableAttributedString", NSMutableAttributedString.self)
    case .locale: ("NSLocale", NSLocale.self)
    case .timeZone: ("NSTimeZone", NSTimeZone.self)
    case .calendar: ("NSCalendar", NSCalendar.self)
    case .dateComponents: ("NSDateComponents", NSDateComponents.self)
    case .dateInterval: ("NSDateInterval", NSDateInterval.self)
    case .personName: ("NSPersonNameComponents", NSPersonNameComponents.self)
    case .queryItem: ("NSURLQueryItem", NSURLQueryItem.self)
    case .regularExpression: ("NSRegularExpression", NSRegularExpression.self)
    case .measurement: ("NSMeasurement", NSMeasurement.self)
    case .unit: ("NSUnit", Unit.self)
    case .error: ("NSError", NSError.self)
    }
  }

  /// The classes by their names in archives.
  static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The classes that the format has values for.
  static let plain: [AnyClass] = [
    NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSArray.self, NSDictionary.self,
  ]

  /// All of Foundation's classes whose objects can be in an archive.
  static var all: [AnyClass] { plain + allCases.map(\.objectClass) }

  /// The classes of property lists; collections may contain their objects without a mention in the requested classes.
  static let propertyList: [AnyClass] = [
    NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
  ]
}

/// Returns whether a class is another class or a subclass of it.
func isClass(_ candidate: AnyClass, kindOf other: AnyClass) -> Bool {
  func isKind<Other: AnyObject>(_ other: Other.Type) -> Bool { candidate is Other.Type }
  return _openExistential(other, do: isKind)
}

/// The fields and keys of objects in dictionaries.
enum ObjectField {
  /// The key of the name of an object's class.
  static let className = "$class"

  /// Returns a key as it is stored in a dictionary: a key that begins with `$` gets another `$` in front (rule R-2-6).
  static func stored(_ key: String) -> String { key.utf8.first == UInt8(ascii: "$") ? "$" + key : key }

  /// Returns a stored key as the app encoded it.
  static func original(_ key: String) -> String { key.utf8.starts(with: "$$".utf8) ? String(key.dropFirst()) : key }
}
