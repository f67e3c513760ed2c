/// The meaning of a tag (Spec 6.1).
enum SlowTag {
  case null
  case bool(Bool)
  case sensitive
  case array
  case dictionary
  case longString
  case data
  case url
  case uuid
  case reference
  case positiveInteger(size: Int)
  case negativeInteger(size: Int)
  case float64(size: Int)
  case date(size: Int)
  case smallInteger(UInt64)
  case shortString(length: Int)
  case reserved
  case unassigned

  init(_ byte: UInt8) {
    switch byte {
    case 0x00: self = .null
    case 0x01: self = .bool(false)
    case 0x02: self = .bool(true)
    case 0x03: self = .sensitive
    case 0x04: self = .array
    case 0x05: self = .dictionary
    case 0x06: self = .longString
    case 0x07: self = .data
    case 0x08: self = .url
    case 0x09: self = .uuid
    case 0x0a: self = .reference
    case 0x10...0x17: self = .positiveInteger(size: Int(byte) - 0x0f)
    case 0x18...0x1f: self = .negativeInteger(size: Int(byte) - 0x17)
    case 0x20...0x28: self = .float64(size: Int(byte) - 0x20)
    case 0x30...0x38: self = .date(size: Int(byte) - 0x30)
    case 0x40...0x7f: self = .smallInteger(UInt64(byte) - 0x40)
    case 0x80...0xbf: self = .shortString(length: Int(byte) - 0x80)
    case 0xc0...0xdf: self = .reserved
    default: self = .unassigned
    }
  }
}
