#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONTextWriter {
  /// Writes the entries of a state or dictionary as an object.
  package mutating func entries(_ dictionary: ArchiveDictionary, sensitive: SensitiveValues) {
    object { writer in
      for entry in dictionary {
        writer.member(entry.key) { writer in
          guard entry.isSensitive else { return writer.value(entry.value, sensitive: sensitive) }
          writer.tagged("$sensitive") { writer in
            switch sensitive {
            case .reveal: writer.value(entry.value, sensitive: sensitive)
            case .redact: writer.raw("null")
            }
          }
        }
      }
    }
  }

  /// Writes a value (section 6 of `Spec/json.md`).
  package mutating func value(_ value: ArchiveValue, sensitive: SensitiveValues) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .integer(let value): raw(value.description)
    case .float(let value): float(value)
    case .string(let text): string(text)
    case .data(let data): tagged("$data") { $0.string(data.base64EncodedString()) }
    case .date(let date): self.date(date)
    case .uuid(let uuid): tagged("$uuid") { $0.string(uuid.uuidString.lowercased()) }
    case .url(let text): tagged("$url") { $0.string(text) }
    case .array(let elements): array(elements) { $0.value($1, sensitive: sensitive) }
    case .reference(let path): tagged("$reference") { $0.array(path.components) { $0.string($1) } }
    case .dictionary(let dictionary):
      if Self.looksTagged(dictionary) {
        tagged("$dictionary") { $0.entries(dictionary, sensitive: sensitive) }
      } else {
        entries(dictionary, sensitive: sensitive)
      }
    }
  }

  /// Returns whether a dictionary, written unchanged, would be read as a tagged value.
  static func looksTagged(_ dictionary: ArchiveDictionary) -> Bool {
    dictionary.count == 1 && dictionary[0].key.utf8.first == UInt8(ascii: "$")
  }

  private mutating func float(_ value: Double) {
    if value.isFinite {
      raw(FloatText.text(of: value))
    } else {
      tagged("$float") { $0.string(Self.name(of: value)) }
    }
  }

  private static func name(of value: Double) -> String {
    if value == .infinity { return "inf" }
    if value == -.infinity { return "-inf" }
    if value.bitPattern == 0x7FF8_0000_0000_0000 { return "nan" }
    return "0x\(ContentDigest(rawValue: value.bitPattern))"
  }

  /// Writes a date.
  package mutating func date(_ date: Date) {
    tagged("$date") { writer in
      if let text = DateText.text(of: date) { writer.string(text) } else { writer.float(date.timeIntervalSinceReferenceDate) }
    }
  }

  mutating func tagged(_ tag: String, _ body: (inout JSONTextWriter) -> Void) {
    object { $0.member(tag, body) }
  }

  /// Writes a provider reference.
  package mutating func provider(_ provider: ProviderReference) {
    object { writer in
      writer.member("identifier") { $0.string(provider.identifier) }
      writer.member("name") { $0.string(provider.name) }
    }
  }
}
