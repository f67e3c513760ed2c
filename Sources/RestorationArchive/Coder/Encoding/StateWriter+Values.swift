#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

extension StateWriter {
  /// Writes a value of the model, after a key or as an element.
  func write(_ value: ArchiveValue) throws(FormatError) {
    switch value {
    case .null: buffer.writeNull()
    case .bool(let value): buffer.writeBool(value)
    case .integer(let value):
      if value.isNegative { buffer.writeNegativeInteger(complement: value.bits) } else { buffer.writeInteger(value.bits) }
    case .float(let value): buffer.writeFloat64(bits: value.bitPattern)
    case .string(let text): buffer.writeString(text)
    case .data(let data): buffer.writeData(data.span)
    case .date(let date): buffer.writeDate(bits: date.float64Bits)
    case .uuid(let uuid):
      let words = uuid.words
      buffer.writeUUID(words.0, words.1)
    case .url(let text):
      guard !text.isEmpty else {
        throw FormatError(.stringLength, at: nil, "url length", expected: .text("at least one byte"), found: .number(0))
      }
      buffer.writeURL(text)
    case .reference(let path):
      guard !path.isEmpty else { throw FormatError(.emptyReference, at: nil, "reference", expected: .text("at least one component")) }
      buffer.writeReference(path.components)
    case .array(let elements):
      try beginArray()
      for element in elements { try write(element) }
      endContainer()
    case .dictionary(let dictionary):
      try beginDictionary()
      try write(dictionary)
      endContainer()
    }
  }

  /// Writes entries into the open container.
  func write(_ dictionary: ArchiveDictionary) throws(FormatError) {
    for entry in dictionary {
      try beginEntry(entry.key, isSensitive: entry.isSensitive)
      try write(entry.value)
    }
  }
}

extension OutputBuffer {
  /// Writes a reference with validated components.
  func writeReference(_ components: [String]) {
    append(ValueTag.reference)
    let length = count
    append(UInt8(0))
    for component in components { appendText(component) }
    closeLength(at: length)
  }
}
