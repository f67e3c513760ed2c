import Foundation

/// The Foundation classes whose objects are stored as dictionaries with the name of their class (rule R-2-5), because
/// the format has no value for them.
///
/// `Spec/objects.md` lists their fields.
enum FoundationClass: String, CaseIterable {
  case null = "NSNull"
  case value = "NSValue"
  case decimal = "NSDecimalNumber"
  case url = "NSURL"
  case mutableString = "NSMutableString"
  case mutableData = "NSMutableData"
  case mutableArray = "NSMutableArray"
  case set = "NSSet"
  case mutableSet = "NSMutableSet"
  case countedSet = "NSCountedSet"
  case orderedSet = "NSOrderedSet"
  case mutableOrderedSet = "NSMutableOrderedSet"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  case indexPath = "NSIndexPath"
  case indexSet = "NSIndexSet"
  case mutableIndexSet = "NSMutableIndexSet"
  case attributedString = "NSAttributedString"
  case mutableAttributedString = "NSMutableAttributedString"
  case locale = "NSLocale"
  case timeZone = "NSTimeZone"
  case calendar = "NSCalendar"
  case dateComponents = "NSDateComponents"
  case dateInterval = "NSDateInterval"
  case personName = "NSPersonNameComponents"
  case queryItem = "NSURLQueryItem"
  case regularExpression = "NSRegularExpression"
  case measurement = "NSMeasurement"
  case unit = "NSUnit"
  case error = "NSError"

  /// The class.
  var objectClass: AnyClass {
    switch self {
    case .null: NSNull.self
    case .value: NSValue.self
    case .decimal: NSDecimalNumber.self
    case .url: NSURL.self
    case .mutableString: NSMutableString.self
    case .mutableData: NSMutableData.self
    case .mutableArray: NSMutableArray.self
    case .set: NSSet.self
    case .mutableSet: NSMutableSet.self
    case .countedSet: NSCountedSet.self
    case .orderedSet: NSOrderedSet.self
    case .mutableOrderedSet: NSMutableOrderedSet.self
    case .dictionary: NSDictionary.self
    case .mutableDictionary: NSMutableDictionary.self
    case .indexPath: NSIndexPath.self
    case .indexSet: NSIndexSet.self
    case .mutableIndexSet: NSMutableIndexSet.self
    case .attributedString: NSAttributedString.self
    case .mutableAttributedString: NSMutableAttributedString.self
    case .locale: NSLocale.self
    case .timeZone: NSTimeZone.self
    case .calendar: NSCalendar.self
    case .dateComponents: NSDateComponents.self
    case .dateInterval: NSDateInterval.self
    case .personName: NSPersonNameComponents.self
    case .queryItem: NSURLQueryItem.self
    case .regularExpression: NSRegularExpression.self
    case .measurement: NSMeasurement.self
    case .unit: Unit.self
    case .error: NSError.self
    }
  }

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
