import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

// Foundation's classes for dates, places, names, units and errors, each with its encoding beside its decoding.
//
// Their own `encode(with:)` is not used: its keys differ between systems, and their `init(coder:)` ends the process for
// some invalid values.

extension ObjectEncoding {
  /// Returns the value for an object of one of these classes, or nil.
  func foundationObject(_ object: AnyObject) throws -> ArchiveValue? {
    switch object {
    case let locale as NSLocale: form(.locale, ["identifier": try localeIdentifier(locale)])
    case let zone as NSTimeZone: try zoneForm(zone)
    case let calendar as NSCalendar: try calendarForm(calendar)
    case let components as NSDateComponents: form(.dateComponents, try fields(of: components))
    case let interval as NSDateInterval: try intervalForm(interval)
    case let name as NSPersonNameComponents: nameForm(name)
    case let item as NSURLQueryItem: form(.queryItem, Self.texts([("name", item.name), ("value", item.value)]))
    case let expression as NSRegularExpression: try expressionForm(expression)
    case let measurement as NSMeasurement:
      form(.measurement, ["value": .float(measurement.doubleValue), "unit": try unitForm(measurement.unit)])
    case let unit as Unit: try unitForm(unit)
    case let error as NSError: try errorForm(error)
    default: nil
    }
  }

  private static func texts(_ texts: [(String, String?)]) -> ArchiveDictionary {
    ArchiveDictionary(texts.compactMap { name, text in text.map { (name, ArchiveValue.string($0)) } })
  }

  // What could not be decoded is refused while it can still be mended, so these use the conditions of the decoding below.

  private func localeIdentifier(_ locale: NSLocale) throws -> ArchiveValue {
    let identifier = locale.object(forKey: .identifier) as? String ?? ""
    try expect(ObjectDecoding.isLocale(identifier), "a locale with the identifier \(identifier.quoted)")
    return .string(identifier)
  }

  private func zoneForm(_ zone: NSTimeZone) throws -> ArchiveValue {
    // The name of a fixed offset leaves out its seconds.
    if zone.name.hasPrefix("GMT") { return form(.timeZone, ["seconds": .integer(zone.secondsFromGMT)]) }
    try expect(ObjectDecoding.zone(named: zone.name) != nil, "a time zone with the name \(zone.name.quoted)")
    return form(.timeZone, ["name": .string(zone.name)])
  }

  private func intervalForm(_ interval: NSDateInterval) throws -> ArchiveValue {
    let (start, duration) = (interval.startDate, interval.duration)
    try expect(ObjectDecoding.isInterval(start, duration), "an interval without an end")
    return form(.dateInterval, ["start": .date(start), "duration": .float(duration)])
  }

  private func expressionForm(_ expression: NSRegularExpression) throws -> ArchiveValue {
    try expect(expression.pattern.utf8.count <= ObjectDecoding.longestPattern, "a regular expression of more than 65,535 bytes")
    return form(.regularExpression, ["pattern": .string(expression.pattern), "options": .integer(Int(expression.options.rawValue))])
  }

  private func calendarForm(_ calendar: NSCalendar) throws -> ArchiveValue {
    var fields: ArchiveDictionary = [
      "identifier": .string(calendar.calendarIdentifier.rawValue), "firstWeekday": .integer(calendar.firstWeekday),
      "minimumDays": .integer(calendar.minimumDaysInFirstWeek),
      "timeZone": try zoneForm(calendar.timeZone as NSTimeZone),
    ]
    if let locale = calendar.locale { fields["locale"] = try localeIdentifier(locale as NSLocale) }
    return form(.calendar, fields)
  }

  private func fields(of components: NSDateComponents) throws -> ArchiveDictionary {
    var fields = ArchiveDictionary(
      dateComponentFields.compactMap { field in
        let number = components[keyPath: field.path]
        return number == NSDateComponentUndefined ? nil : (field.name, .integer(number))
      })
    // Foundation's class does not show this one on every system.
    if let day = (components as DateComponents).dayOfYear { fields["dayOfYear"] = .integer(day) }
    if components.isLeapMonth { fields["isLeapMonth"] = .bool(true) }
    if let calendar = components.calendar { fields["calendar"] = try calendarForm(calendar as NSCalendar) }
    if let zone = components.timeZone { fields["timeZone"] = try zoneForm(zone as NSTimeZone) }
    return fields
  }

  private func nameForm(_ name: NSPersonNameComponents) -> ArchiveValue {
    var fields = Self.texts(personNameFields.map { ($0.name, name[keyPath: $0.path]) })
    // The phonetic form has none itself.
    if let phonetic = name.phoneticRepresentation as NSPersonNameComponents? {
      fields["phonetic"] = form(.personName, Self.texts(personNameFields.map { ($0.name, phonetic[keyPath: $0.path]) }))
    }
    return form(.personName, fields)
  }

  private func unitForm(_ unit: Unit) throws -> ArchiveValue {
    if type(of: unit) == Unit.self { return form(.unit, ["symbol": .string(unit.symbol)]) }
    guard let dimension = unit as? Dimension, let name = dimensions.first(where: { type(of: dimension) == $0.type })?.name,
      let converter = dimension.converter as? UnitConverterLinear
    else { throw failure(.objectClass, "a \(type(of: unit)) cannot be encoded: it is no unit of Foundation with a linear conversion") }
    return form(
      .unit,
      [
        "symbol": .string(unit.symbol), "dimension": .string(name), "coefficient": .float(converter.coefficient),
        "constant": .float(converter.constant),
      ])
  }

  private func errorForm(_ error: NSError) throws -> ArchiveValue {
    try checkCollections(in: error.userInfo)
    let info = try enter(error) { try plainValue(of: error.userInfo as NSDictionary) }
    return form(.error, ["domain": .string(error.domain), "code": .integer(error.code), "userInfo": info])
  }
}

extension ObjectDecoding {
  /// Returns the object of one of these classes; nil for another one.
  func foundationObject(of kind: FoundationClass, _ fields: ObjectFields) throws -> NSObject? {
    switch kind {
    case .locale: try locale(fields.string("identifier"))
    case .timeZone: try timeZone(fields)
    case .calendar: try calendar(fields)
    case .dateComponents: try dateComponents(fields)
    case .dateInterval: try dateInterval(fields)
    case .personName: try personName(fields, isPhonetic: false)
    case .queryItem: NSURLQueryItem(name: try fields.string("name"), value: try fields.stringIfPresent("value"))
    case .regularExpression: try regularExpression(fields)
    case .measurement: NSMeasurement(doubleValue: try fields.double("value"), unit: try unit(fields.object("unit", of: .unit)))
    case .unit: try unit(fields)
    case .error: try error(fields)
    default: nil
    }
  }

  private func locale(_ identifier: String) throws -> NSLocale {
    guard Self.isLocale(identifier) else { throw invalid("the identifier of a locale", "other text") }
    return NSLocale(localeIdentifier: identifier)
  }

  /// Whether a text can identify a locale; its part before `@` may become part of a file name.
  fileprivate static func isLocale(_ identifier: String) -> Bool {
    let (bytes, others) = (identifier.utf8, "_-@=;.+:/".utf8)
    return bytes.count <= 255 && bytes.allSatisfy { isLetterOrDigit($0) || others.contains($0) }
      && !bytes.prefix { $0 != UInt8(ascii: "@") }.contains(UInt8(ascii: "/"))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }

  private func timeZone(_ fields: ObjectFields) throws -> NSTimeZone {
    if let seconds = try fields.integerIfPresent("seconds") {
      guard (-18 * 3600...18 * 3600).contains(seconds) else { throw invalid("at most 18 hours from GMT", "more") }
      return NSTimeZone(forSecondsFromGMT: seconds)
    }
    guard let zone = Self.zone(named: try fields.string("name")) else { throw invalid("the name of a time zone", "other text") }
    return zone
  }

  /// Returns the zone with a name, which may become that of a file of the system.
  fileprivate static func zone(named name: String) -> NSTimeZone? {
    let others = "_+-/".utf8
    guard name.utf8.count <= 100, name.utf8.allSatisfy({ isLetterOrDigit($0) || others.contains($0) }),
      name.utf8.first != UInt8(ascii: "/")
    else { return nil }
    return NSTimeZone(name: name)
  }

  private func calendar(_ fields: ObjectFields) throws -> NSCalendar {
    let identifier = NSCalendar.Identifier(rawValue: try fields.string("identifier").asKnownName)
    let (first, days) = (try fields.integer("firstWeekday"), try fields.integer("minimumDays"))
    guard (1...7).contains(first), (1...7).contains(days), let calendar = NSCalendar(identifier: identifier) else {
      throw invalid("a calendar", "another one")
    }
    calendar.timeZone = try timeZone(fields.object("timeZone", of: .timeZone)) as TimeZone
    if let text = try fields.stringIfPresent("locale") { calendar.locale = try locale(text) as Locale }
    calendar.firstWeekday = first
    calendar.minimumDaysInFirstWeek = days
    return calendar
  }

  private func dateComponents(_ fields: ObjectFields) throws -> NSDateComponents {
    let components = NSDateComponents()
    for field in dateComponentFields {
      if let number = try fields.integerIfPresent(field.name) { components[keyPath: field.path] = number }
    }
    if try fields.isTrue("isLeapMonth") { components.isLeapMonth = true }
    if let calendar = try fields.objectIfPresent("calendar", of: .calendar) {
      components.calendar = try self.calendar(calendar) as Calendar
    }
    if let zone = try fields.objectIfPresent("timeZone", of: .timeZone) { components.timeZone = try timeZone(zone) as TimeZone }
    guard let day = try fields.integerIfPresent("dayOfYear") else { return components }
    var withDay = components as DateComponents
    withDay.dayOfYear = day
    return withDay as NSDateComponents
  }

  private func dateInterval(_ fields: ObjectFields) throws -> NSDateInterval {
    let (start, duration) = (try fields.date("start"), try fields.double("duration"))
    guard Self.isInterval(start, duration) else { throw invalid("a start and a duration that is not negative", "other numbers") }
    return NSDateInterval(start: start, duration: duration)
  }

  fileprivate static func isInterval(_ start: Date, _ duration: Double) -> Bool {
    start.timeIntervalSinceReferenceDate.isFinite && duration.isFinite && duration >= 0
  }

  private func personName(_ fields: ObjectFields, isPhonetic: Bool) throws -> NSPersonNameComponents {
    let name = NSPersonNameComponents()
    for field in personNameFields { name[keyPath: field.path] = try fields.stringIfPresent(field.name) }
    if !isPhonetic, let phonetic = try fields.objectIfPresent("phonetic", of: .personName) {
      name.phoneticRepresentation = try personName(phonetic, isPhonetic: true) as PersonNameComponents
    }
    return name
  }

  /// The length of the longest pattern in bytes.
  fileprivate static let longestPattern = 65_535

  private func regularExpression(_ fields: ObjectFields) throws -> NSRegularExpression {
    let (pattern, number) = (try fields.string("pattern"), try fields.integer("options"))
    guard pattern.utf8.count <= Self.longestPattern, (0..<128).contains(number),
      let expression = try? NSRegularExpression(pattern: pattern, options: NSRegularExpression.Options(rawValue: UInt(number)))
    else { throw invalid("a regular expression", "other text") }
    return expression
  }

  private func unit(_ fields: ObjectFields) throws -> Unit {
    let symbol = try fields.string("symbol")
    guard let name = try fields.stringIfPresent("dimension") else { return Unit(symbol: symbol) }
    guard let type = dimensions.first(where: { $0.name.isSameText(as: name) })?.type else { throw invalid("a dimension", "another one") }
    let converter = UnitConverterLinear(coefficient: try fields.double("coefficient"), constant: try fields.double("constant"))
    return type.init(symbol: symbol, converter: converter)
  }

  private func error(_ fields: ObjectFields) throws -> NSError {
    guard let info = try object(for: fields.value("userInfo"), allowed: nil) as? NSDictionary else {
      throw invalid("a dictionary", "another object")
    }
    var userInfo: [String: Any] = [:]
    for (key, value) in info {
      guard let key = key as? String else { throw invalid("keys that are strings", "others") }
      userInfo[key] = value
    }
    return NSError(domain: try fields.string("domain"), code: try fields.integer("code"), userInfo: userInfo)
  }
}

// The parts of objects, each with the name under which archives store it. Computed, because key paths are not sendable.

/// The numbers of `NSDateComponents`.
private var dateComponentFields: [(name: String, path: ReferenceWritableKeyPath<NSDateComponents, Int>)] {
  [
    ("era", \.era), ("year", \.year), ("month", \.month), ("day", \.day), ("hour", \.hour), ("minute", \.minute), ("second", \.second),
    ("nanosecond", \.nanosecond), ("weekday", \.weekday), ("weekdayOrdinal", \.weekdayOrdinal), ("quarter", \.quarter),
    ("weekOfMonth", \.weekOfMonth), ("weekOfYear", \.weekOfYear), ("yearForWeekOfYear", \.yearForWeekOfYear),
  ]
}

/// The parts of a person's name.
private var personNameFields: [(name: String, path: ReferenceWritableKeyPath<NSPersonNameComponents, String?>)] {
  [
    ("namePrefix", \.namePrefix), ("givenName", \.givenName), ("middleName", \.middleName), ("familyName", \.familyName),
    ("nameSuffix", \.nameSuffix), ("nickname", \.nickname),
  ]
}

/// The classes of units that can be converted into each other.
private let dimensions: [(name: String, type: Dimension.Type)] = [
  ("acceleration", UnitAcceleration.self), ("angle", UnitAngle.self), ("area", UnitArea.self),
  ("concentrationMass", UnitConcentrationMass.self), ("dispersion", UnitDispersion.self), ("duration", UnitDuration.self),
  ("electricCharge", UnitElectricCharge.self), ("electricCurrent", UnitElectricCurrent.self),
  ("electricPotentialDifference", UnitElectricPotentialDifference.self), ("electricResistance", UnitElectricResistance.self),
  ("energy", UnitEnergy.self), ("frequency", UnitFrequency.self), ("illuminance", UnitIlluminance.self),
  ("informationStorage", UnitInformationStorage.self), ("length", UnitLength.self), ("mass", UnitMass.self), ("power", UnitPower.self),
  ("pressure", UnitPressure.self), ("speed", UnitSpeed.self), ("temperature", UnitTemperature.self), ("volume", UnitVolume.self),
]
