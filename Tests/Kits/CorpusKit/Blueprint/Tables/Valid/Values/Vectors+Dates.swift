extension Vectors {
  static let dates: [Specimen] = [
    value(
      "date-reference", .date(bits: 0x0000_0000_0000_0000, json: "2001-01-01T00:00:00Z"), "The reference date is 0 and has no payload."),
    value("date-whole-second", .date(816_901_200.0, json: "2026-11-20T21:00:00Z"), "The fraction .000 is left out of the text."),
    value("date-quarter-second", .date(816_901_200.25, json: "2026-11-20T21:00:00.250Z"), "A fraction that binary holds exactly."),
    value("date-milliseconds", .date(730_943_999.123, json: "2024-02-29T23:59:59.123Z"), "A fraction that binary does not hold exactly."),
    value("date-before-reference", .date(-31_622_400.5, json: "1999-12-31T23:59:59.500Z"), "A date before the reference date is negative."),
    value("date-below-a-millisecond", .date(0.0001, json: "0.0001"), "A date that no number of milliseconds gives is written as a number."),
    value("date-minus-0", .date(bits: 0x8000_0000_0000_0000, json: "-0.0"), "Minus zero is no number of milliseconds over 1000."),
    value("date-first-of-text", .date(-63_113_904_000.0, json: "0001-01-01T00:00:00Z"), "The first instant that the text form reaches."),
    value("date-far-past", .date(-63_113_904_000.001, json: "-63113904000.001"), "A millisecond before the year 1: written as a number."),
    value(
      "date-last-of-text", .date(252_423_993_599.999, json: "9999-12-31T23:59:59.999Z"), "The last instant that the text form reaches."),
    value("date-far-future", .date(252_423_993_600.0, json: "252423993600.0"), "The year 10000: written as a number."),
    value("date-infinite", .date(bits: 0x7ff0_0000_0000_0000, json: "inf"), "All float64 are dates, infinity too."),
    value("date-nan", .date(bits: 0x7ff8_0000_0000_0001, json: "0x7ff8000000000001"), "All bits of a date are kept."),
  ]
}
