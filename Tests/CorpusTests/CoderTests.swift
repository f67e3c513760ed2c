import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// The coder compared with the value reader, on every file of the corpus: a value that cannot be read cannot be decoded
/// either, and the error names it.
@Suite struct CoderTests {
  /// A coding key with any name.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes every part of a value, each part only as the type that it has.
  private struct Whole: Decodable {
    init(from decoder: any Decoder) throws {
      if let keyed = try? decoder.container(keyedBy: Key.self) {
        for key in keyed.allKeys { _ = try keyed.decode(Whole.self, forKey: key) }
      } else if var unkeyed = try? decoder.unkeyedContainer() {
        while !unkeyed.isAtEnd { _ = try unkeyed.decode(Whole.self) }
      } else {
        try Self.decodeSingle(try decoder.singleValueContainer())
      }
    }

    private static func decodeSingle(_ value: any SingleValueDecodingContainer) throws {
      if value.decodeNil() { return }
      let types: [any Decodable.Type] = [
        Bool.self, Int.self, UInt64.self, Double.self, Date.self, Data.self, UUID.self, RestorationPath.self, URL.self,
      ]
      for type in types where (try? value.decode(type)) != nil { return }
      _ = try value.decode(String.self)
    }
  }

  @Test("a value decodes completely if it can be read; otherwise the error has path and key", arguments: try Corpus.files())
  func agreesWithValues(_ file: CorpusFile) throws {
    guard let reader = try? ArchiveReader(link: file.bytes), let application = try? reader.application() else {
      return #expect(file.expectation?.outcome != .valid)
    }
    var rest = [application]
    var left = 500
    while let node = rest.popLast(), left > 0 {
      left -= 1
      if let decoder = try? node.decoder() {
        for key in Set(decoder.allKeys).prefix(100) { try compare(key, decoder) }
        _ = try? decoder.decodeState(Whole.self)
      }
      node.visitChildren { if let child = try? $0.get() { rest.append(child) } }
    }
  }

  private func compare(_ key: String, _ decoder: StateDecoder) throws {
    let value = Result { try decoder.value(forKey: key) }
    let whole = Result { try decoder.decode(Whole.self, forKey: key) }
    let references = Result { try decoder.decodePaths(forKey: key) }
    switch value {
    case .success(let value):
      if value.map(Self.isDecodable) == true { #expect(throws: Never.self) { try whole.get() } }
      if case .array(let elements) = value, elements.allSatisfy(Self.isReference) {
        #expect(try references.get().map { $0.map { .reference($0) } ?? .null } == elements)
      } else {
        #expect(throws: ArchiveError.self) { try references.get() }
      }
    case .failure(let error):
      let error = try #require(error as? ArchiveError)
      #expect(error.path == decoder.path && error.key == key)
      // The error is the archive's own if the fault is in the value as a whole; otherwise the archive's error is
      // underlying.
      let ofWhole = #expect(throws: (any Error).self) { try whole.get() }
      #expect(ofWhole is ArchiveError || ofWhole is DecodingError)
      let ofReferences = #expect(throws: ArchiveError.self) { try references.get() }
      #expect(ofReferences?.path == decoder.path && ofReferences?.key == key)
    }
  }

  private static func isReference(_ value: ArchiveValue) -> Bool {
    if case .reference = value { true } else { value == .null }
  }

  /// Whether types of Swift and Foundation can represent the value: not every text is a URL, and some keys are equal as
  /// `String`s.
  private static func isDecodable(_ value: ArchiveValue) -> Bool {
    switch value {
    case .url(let text): URL(string: text) != nil
    case .array(let elements): elements.allSatisfy(isDecodable)
    case .dictionary(let entries): Set(entries.map(\.key)).count == entries.count && entries.allSatisfy { isDecodable($0.value) }
    default: true
    }
  }
}
