import FoundationValues
import KeyedArchive
import RestorationArchive

/// What a data value is that is itself a file: a property list, or a bookmark.
enum DataContent {
  /// The data that is looked into for a listing; longer data is named by its first bytes.
  private static let maximumListed = 1 << 20

  /// Returns what data is, in words; nil if nothing is known about it.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - maximum: The number of bytes up to which a list is read.
  ///   - context: The resources for all data of a listing, so that any number of lists takes no more than its archive; nil for
  ///     those of this data. A list for which they are too small is named by its first bytes.
  /// - Returns: The words, or nil.
  static func words(of data: Data, upTo maximum: Int = maximumListed, _ context: ImportContext? = nil) -> String? {
    let head = [UInt8](data.prefix(PropertyList.headByteCount + 1))
    guard isList(head) else {
      guard let path = BookmarkPath(head.count < data.count ? [UInt8](data.prefix(1 << 16)) : head) else { return nil }
      return path.components.isEmpty ? "a bookmark" : "a bookmark of /\(path.components.joined(separator: "/"))"
    }
    let context = context ?? ImportContext(.standard, byteCount: data.count)
    let source = data.count <= maximum ? try? ImportedArchive.source(of: [UInt8](data), context) : nil
    return source?.words ?? "begins as a property list"
  }

  /// Returns the named values of a property list; nil for other content, and for a list that cannot be read within the resources.
  static func values(in data: Data, upTo maximum: Int = maximumListed, _ context: ImportContext? = nil) -> ArchiveDictionary? {
    guard data.count <= maximum, isList([UInt8](data.prefix(PropertyList.headByteCount + 1))) else { return nil }
    let context = context ?? ImportContext(.standard, byteCount: data.count)
    return (try? ImportedArchive(decoding: [UInt8](data), context))?.tree.applicationState
  }

  private static func isList(_ head: [UInt8]) -> Bool { PropertyList.form(of: head).map { $0 != .oldStyle } ?? false }
}

/// The path in a bookmark of the file system, as apps keep them to find a file again.
private struct BookmarkPath {
  private(set) var components: [String] = []
  private let bytes: [UInt8]
  private var start = 0

  /// Reads the path; nil if the bytes are no bookmark.
  ///
  /// A path that cannot be read is empty.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.count >= 20, bytes.starts(with: "book".utf8), bytes[8...].starts(with: "mark".utf8) else { return nil }
    guard let header = number(12), let first = number(header) else { return }
    start = header
    var table = first
    // Tables are chained; four are more than any bookmark has.
    for _ in 0..<4 {
      guard let count = number(start + table + 16) else { return }
      for index in 0..<min(count, 100) where number(start + table + 20 + 12 * index) == 0x1004 {
        guard let place = number(start + table + 24 + 12 * index), let list = item(place, type: 0x0601) else { return }
        components = stride(from: list.lowerBound, to: list.upperBound - 3, by: 4).prefix(256).compactMap { place in
          number(place).flatMap { item($0, type: 0x0101) }.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        return
      }
      guard let next = number(start + table + 12), next > 0 else { return }
      table = next
    }
  }

  /// Returns the little-endian number of four bytes at an offset.
  private func number(_ offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    return bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the content of an item of a type.
  private func item(_ place: Int, type: Int) -> Range<Int>? {
    guard let length = number(start + place), number(start + place + 4) == type, length <= bytes.count - (start + place + 8) else {
      return nil
    }
    return (start + place + 8)..<(start + place + 8 + length)
  }
}
