#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

extension ArchiveTree {
  /// Reads the JSON form of an archive (`Spec/json.md`).
  ///
  /// - Throws: An error for the first fault of the text, with its byte offset.
  /// - Complexity: O(n log n) in the length of the text.
  public init(json: Data) throws(ArchiveError) {
    self = try JSONTreeReader.read([UInt8](json))
  }

  /// Returns the JSON form of the archive: text that reads back as the same archive and is suitable for diffs.
  public func json(sensitiveValues: SensitiveValues = .reveal) -> Data {
    Data(JSONTreeWriter(self, sensitive: sensitiveValues).text())
  }

  /// Whether any entry is marked as sensitive.
  package var hasSensitiveValues: Bool {
    var rest = nodes
    if applicationState.hasSensitiveValues { return true }
    while let node = rest.popLast() {
      if node.state.hasSensitiveValues || node.attributes.hasSensitiveValues { return true }
      rest += node.children
    }
    return false
  }
}

extension ArchiveDictionary {
  /// Whether any entry, at any depth, is marked as sensitive.
  package var hasSensitiveValues: Bool {
    contains { $0.isSensitive || $0.value.hasSensitiveValues }
  }
}

extension ArchiveValue {
  fileprivate var hasSensitiveValues: Bool {
    switch self {
    case .array(let elements): elements.contains { $0.hasSensitiveValues }
    case .dictionary(let dictionary): dictionary.hasSensitiveValues
    default: false
    }
  }
}
