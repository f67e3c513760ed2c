import Foundation

// The accessors for points, sizes and rectangles belong to other frameworks on some systems. The type encodings are the
// same everywhere.
extension NSValue {
  private static let point = "{CGPoint=dd}"
  private static let size = "{CGSize=dd}"
  private static let rect = "{CGRect={CGPoint=dd}{CGSize=dd}}"
  private static let range = "{_NSRange=QQ}"

  /// The point, size, rectangle or range in the value; nil for another type.
  var structure: Any? {
    switch unsafe String(cString: objCType) {
    case Self.point: structure(CGPoint.zero)
    case Self.size: structure(CGSize.zero)
    case Self.rect: structure(CGRect.zero)
    case Self.range: rangeValue
    default: nil
    }
  }

  private func structure<Structure>(_ empty: Structure) -> Structure {
    var structure = empty
    unsafe withUnsafeMutableBytes(of: &structure) { bytes in
      if let address = bytes.baseAddress { unsafe getValue(address) }
    }
    return structure
  }

  /// Creates a value with a point.
  static func holding(_ point: CGPoint) -> NSValue { holding(point, Self.point) }
  /// Creates a value with a size.
  static func holding(_ size: CGSize) -> NSValue { holding(size, Self.size) }
  /// Creates a value with a rectangle.
  static func holding(_ rect: CGRect) -> NSValue { holding(rect, Self.rect) }

  private static func holding<Structure>(_ structure: Structure, _ type: String) -> NSValue {
    unsafe withUnsafeBytes(of: structure) { bytes in
      unsafe bytes.baseAddress.map { unsafe NSValue(bytes: $0, objCType: type) } ?? NSValue()
    }
  }

  /// The first character of the type's encoding.
  var typeCode: UInt8 { unsafe UInt8(bitPattern: objCType.pointee) }
}
