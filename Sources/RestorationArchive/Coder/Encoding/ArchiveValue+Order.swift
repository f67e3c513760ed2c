#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

extension ArchiveValue {
  /// Returns groups of values in the order of an unordered collection: ascending by their bytes, with all keys inline
  /// (rule R-2-4).
  ///
  /// A group is an element of a set, or a key of a dictionary followed by its value.
  ///
  /// - Complexity: O(n log n) for n bytes of values.
  package static func sorted(_ groups: [[ArchiveValue]]) -> [[ArchiveValue]] {
    let texts = OutputBuffer()
    let ranges = groups.map { group in
      let start = texts.count
      for value in group { texts.writeInline(value) }
      return start..<texts.count
    }
    return texts.withSpan { bytes in
      groups.indices.sorted { bytes.extracting(ranges[$0]).precedes(bytes.extracting(ranges[$1])) }.map { groups[$0] }
    }
  }
}

extension OutputBuffer {
  /// Writes a value with all keys inline.
  fileprivate func writeInline(_ value: ArchiveValue) {
    switch value {
    case .null: writeNull()
    case .bool(let value): writeBool(value)
    case .integer(let value):
      if value.isNegative { writeNegativeInteger(complement: value.bits) } else { writeInteger(value.bits) }
    case .float(let value): writeFloat64(bits: value.bitPattern)
    case .string(let text): writeString(text)
    case .data(let data): writeData(data.span)
    case .date(let date): writeDate(bits: date.float64Bits)
    case .uuid(let uuid): writeUUID(uuid.words.0, uuid.words.1)
    case .url(let text): writeURL(text)
    case .reference(let path): writeReference(path.components)
    case .array(let elements):
      append(ValueTag.array)
      let start = count
      append(UInt8(0))
      for element in elements { writeInline(element) }
      closeLength(at: start)
    case .dictionary(let dictionary):
      append(ValueTag.dictionary)
      let start = count
      append(UInt8(0))
      for entry in dictionary {
        entry.key.withUTF8Bytes { appendInlineKey($0) }
        if entry.isSensitive { append(ValueTag.sensitive) }
        writeInline(entry.value)
      }
      closeLength(at: start)
    }
  }
}
