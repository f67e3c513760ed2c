public import FoundationValues

/// The text form of dates: `YYYY-MM-DDTHH:MM:SS.mmmZ` (section 6.3 of `Spec/json.md`).
///
/// Foundation's formatters are unsuitable: the form must not depend on their version, and they round where exact text
/// is required.
package enum DateText {
  // Everything that counts from a date has 64 bits: an `Int` may have 32, which are too few for seconds, and for days of a
  // year in a hostile file.
  private static let millisecondsPerDay: Int64 = 86_400_000
  /// The first second of year 1 and the last of year 9999, from 2001-01-01.
  private static let firstSecond = day(year: 1, month: 1, day: 1) * 86_400
  private static let lastSecond = day(year: 10_000, month: 1, day: 1) * 86_400 - 1
  /// The number of days from 0000-03-01, the start of the first 400-year era, to 2001-01-01.
  private static let referenceDay: Int64 = 730_791

  /// Returns the text of a date, or nil if the text would not restore the same bits or the year is outside 1 to 9999
  /// (rule R-J7-1).
  package static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    let scaled = (seconds * 1000).rounded()
    guard abs(scaled) < 1e15 else { return nil }
    let milliseconds = Int64(scaled)
    guard (Double(milliseconds) / 1000).bitPattern == seconds.bitPattern else { return nil }
    let wholeSeconds = (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000
    guard (firstSecond...lastSecond).contains(wholeSeconds) else { return nil }
    let text = self.wholeSeconds(wholeSeconds)
    let rest = milliseconds - wholeSeconds * 1000
    return rest == 0 ? text : "\(text.dropLast()).\(rest.text(width: 3))Z"
  }

  /// Returns the date of a text, or nil if it does not have this form (rule R-J6-5).
  package static func date(of text: [UInt8]) -> Date? {
    guard text.count == 20 || text.count == 24, text.last == UInt8(ascii: "Z") else { return nil }
    for (place, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
      guard text[place] == UInt8(ascii: separator) else { return nil }
    }
    guard let year = number(text[0..<4]), let month = number(text[5..<7]), let dayOfMonth = number(text[8..<10]),
      let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19])
    else { return nil }
    var millisecond = 0
    if text.count == 24 {
      guard text[19] == UInt8(ascii: "."), let fraction = number(text[20..<23]), fraction > 0 else { return nil }
      millisecond = fraction
    }
    guard year >= 1, (1...12).contains(month), dayOfMonth >= 1, hour <= 23, minute <= 59, second <= 59 else { return nil }
    let day = days(year: Int64(year), month: month, day: dayOfMonth)
    // A nonexistent day converts to a different date.
    guard civil(day: day) == (Int64(year), month, dayOfMonth) else { return nil }
    let inDay = hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond
    let milliseconds = (day - referenceDay) * millisecondsPerDay + Int64(inDay)
    return Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1000)
  }

  /// Returns the text of a number of seconds since 2001-01-01, `YYYY-MM-DDTHH:MM:SSZ`, in any year.
  package static func wholeSeconds(_ seconds: Int64) -> String {
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let rest = Int(seconds - day * 86_400)
    let (year, month, dayOfMonth) = civil(day: day + referenceDay)
    let text = "\(year < 0 ? "-" : "")\(abs(year).text(width: 4))-\(month.text(width: 2))-\(dayOfMonth.text(width: 2))"
    return "\(text)T\((rest / 3600).text(width: 2)):\((rest / 60 % 60).text(width: 2)):\((rest % 60).text(width: 2))Z"
  }

  /// Returns the number of days from 2001-01-01 to a day of the Gregorian calendar, also before its introduction and
  /// before year 1, which year 0 precedes; a day after the end of its month is one in the next.
  package static func day(year: Int64, month: Int, day: Int) -> Int64 {
    days(year: year, month: month, day: day) - referenceDay
  }

  /// Returns the day of the month of a day that is counted from 2001-01-01.
  package static func dayOfMonth(_ day: Int64) -> Int {
    civil(day: day + referenceDay).day
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  // Years begin in March, so that the leap day comes last and month lengths follow a regular pattern of 153 days per
  // five months. An era is 400 years, or 146,097 days.

  /// Returns the number of a Gregorian day, counted from 0000-03-01.
  private static func days(year: Int64, month: Int, day: Int) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  /// Returns the Gregorian date of a day counted from 0000-03-01.
  private static func civil(day: Int64) -> (year: Int64, month: Int, day: Int) {
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = Int(dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100))
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

/// A date in an archive is a float64: the seconds since 2001 (Spec §6.1).
extension Date {
  /// The bits of the float64.
  @inlinable @inline(__always)
  package var float64Bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }

  /// Creates the date of a float64 with these bits.
  @inlinable @inline(__always)
  package init(float64Bits bits: UInt64) {
    self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }
}

extension UUID {
  /// The sixteen bytes as two little-endian integers, the form of the format layer.
  package var words: (UInt64, UInt64) {
    let (first, second) = unsafe unsafeBitCast(uuid, to: (UInt64, UInt64).self)
    return (UInt64(littleEndian: first), UInt64(littleEndian: second))
  }

  /// Creates a UUID from its bytes as two little-endian integers.
  package init(_ first: UInt64, _ second: UInt64) {
    self.init(uuid: unsafe unsafeBitCast((first.littleEndian, second.littleEndian), to: uuid_t.self))
  }
}

extension Data {
  /// Copies the bytes.
  init(bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
  }
}

extension BinaryInteger {
  /// Returns the digits of a number that is not negative, with zeros before them up to a width.
  package func text(width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
