extension Vectors {
  static let floats: [Specimen] = [
    value("float-0", .float(bits: 0x0000_0000_0000_0000, json: "0.0"), "Zero has no payload."),
    value("float-minus-0", .float(bits: 0x8000_0000_0000_0000, json: "-0.0"), "The sign of zero is kept."),
    value("float-1", .float(bits: 0x3ff0_0000_0000_0000, json: "1.0"), "A whole number stays a float64."),
    value("float-1.5", .float(bits: 0x3ff8_0000_0000_0000, json: "1.5"), "A payload of two bytes."),
    value("float-0.1", .float(bits: 0x3fb9_9999_9999_999a, json: "0.1"), "A payload of all eight bytes."),
    value(
      "float-of-float32", .float(bits: 0x3fb9_9999_a000_0000, json: "0.10000000149011612"), "The float32 nearest to 0.1, as a float64."),
    value("float-10-to-the-16", .float(bits: 0x4341_c379_37e0_8000, json: "1e+16"), "A number that the JSON form writes with an exponent."),
    value("float-smallest", .float(bits: 0x0000_0000_0000_0001, json: "5e-324"), "The smallest subnormal number."),
    value(
      "float-greatest-subnormal", .float(bits: 0x000f_ffff_ffff_ffff, json: "2.225073858507201e-308"), "The greatest subnormal number."),
    value("float-smallest-normal", .float(bits: 0x0010_0000_0000_0000, json: "2.2250738585072014e-308"), "The smallest normal number."),
    value("float-greatest", .float(bits: 0x7fef_ffff_ffff_ffff, json: "1.7976931348623157e+308"), "The greatest finite number."),
    value("float-infinity", .float(bits: 0x7ff0_0000_0000_0000, json: "inf"), "Infinity."),
    value("float-minus-infinity", .float(bits: 0xfff0_0000_0000_0000, json: "-inf"), "Minus infinity."),
    value("float-nan", .float(bits: 0x7ff8_0000_0000_0000, json: "nan"), "The usual quiet not-a-number."),
    value("float-nan-minus", .float(bits: 0xfff8_0000_0000_0000, json: "0xfff8000000000000"), "A not-a-number with its sign bit set."),
    value("float-nan-payload", .float(bits: 0x7ff8_0000_0000_002a, json: "0x7ff800000000002a"), "A not-a-number with a payload."),
    value("float-nan-signalling", .float(bits: 0x7ff0_0000_0000_0001, json: "0x7ff0000000000001"), "A signalling not-a-number stays one."),
  ]
}
