extension Vectors {
  static let integers: [Specimen] = [
    value("integer-0", 0, "The least integer of one byte."),
    value("integer-63", 63, "The greatest integer of one byte."),
    value("integer-64", 64, "The least integer with a payload."),
    value("integer-255", 255, "The greatest integer with a payload of one byte."),
    value("integer-256", 256, "The least integer with a payload of two bytes."),
    value("integer-65535", 65535, "The greatest integer with a payload of two bytes."),
    value("integer-65536", 65536, "The least integer with a payload of three bytes."),
    value("integer-2-to-the-32", 4_294_967_296, "The least integer with a payload of five bytes."),
    value("integer-2-to-the-63-less-1", .integer(9_223_372_036_854_775_807), "The greatest integer of the signed 64-bit range."),
    value("integer-2-to-the-63", .integer(9_223_372_036_854_775_808), "The least integer beyond the signed 64-bit range."),
    value("integer-2-to-the-64-less-1", .integer(18_446_744_073_709_551_615), "The greatest integer."),
    value("integer-minus-1", -1, "A negative integer is stored as -1 - value, here 0."),
    value("integer-minus-256", -256, "The least integer with a negative payload of one byte."),
    value("integer-minus-257", -257, "The greatest integer with a negative payload of two bytes."),
    value("integer-minus-2-to-the-32", -4_294_967_296, "The least integer with a negative payload of four bytes."),
    value("integer-minus-2-to-the-63", .integer(-9_223_372_036_854_775_808), "The least integer."),
  ]
}
