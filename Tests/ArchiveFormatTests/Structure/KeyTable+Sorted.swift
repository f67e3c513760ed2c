@testable import ArchiveFormat

extension KeyTable {
  /// Creates a table of keys that are already in ascending order.
  convenience init(sorted keys: [String]) {
    var bytes: [UInt8] = []
    let places = keys.map { key in
      let start = bytes.count
      bytes += key.utf8
      return Place(prefix: bytes.span.extracting(start..<bytes.count).sortingPrefix, start..<bytes.count)
    }
    self.init(bytes, places: places, hasNonASCII: !bytes.span.isASCII(at: 0..<bytes.count))
  }
}
