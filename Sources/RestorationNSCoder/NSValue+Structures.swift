import Foundation

/// The numbers of `NSEdgeInsets` and `UIEdgeInsets`, of which each system has one.
struct EdgeInsetsValue {
  var top: CGFloat = 0
  var left: CGFloat = 0
  var bottom: CGFloat = 0
  var right: CGFloat = 0
}

#if os(macOS) || !canImport(ObjectiveC)
  extension EdgeInsetsValue {
    init(_ insets: NSEdgeInsets) { (top, left, bottom, right) = (insets.top, insets.left, insets.bottom, insets.right) }
  }
#endif

// The accessors for points, sizes and rectangles belong to other frameworks on some systems. The type encodings are the
// same everywhere, but for the size of a number.
extension NSValue {
  private static let two = MemoryLayout<CGFloat>.size == 8 ? "dd" : "ff"
  private static let point = "{CGPoint=\(two)}"
  private static let size = "{CGSize=\(two)}"
  private static let rect = "{CGRect=\(point)\(size)}"
  private static let edgeInsets = ["{NSEdgeInsets=\(two)\(two)}", "{UIEdgeInsets=\(two)\(two)}"]
  private static let range = MemoryLayout<Int>.size == 8 ? "{_NSRange=QQ}" : "{_NSRange=II}"

  /// The point, size, rectangle, edge insets or range in the value; nil for another type.
  var structure: Any? {
    switch unsafe String(cString: objCType) {
    case Self.point: structure(CGPoint.zero)
    case Self.size: structure(CGSize.zero)
    case Self.rect: structure(CGRect.zero)
    case Self.edgeInsets[0], Self.edgeInsets[1]: structure(EdgeInsetsValue())
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

  /// Creates a value with edge insets.
  static func holding(_ insets: EdgeInsetsValue) -> NSValue {
    #if os(macOS) || !canImport(ObjectiveC)
      holding(insets, edgeInsets[0])
    #else
      holding(insets, edgeInsets[1])
    #endif
  }

  private static func holding<Structure>(_ structure: Structure, _ type: String) -> NSValue {
    unsafe withUnsafeBytes(of: structure) { bytes in
      unsafe bytes.baseAddress.map { unsafe NSValue(bytes: $0, objCType: type) } ?? NSValue()
    }
  }

  /// The first character of the type's encoding.
  var typeCode: UInt8 { unsafe UInt8(bitPattern: objCType.pointee) }
}
