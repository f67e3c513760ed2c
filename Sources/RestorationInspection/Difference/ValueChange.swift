import ArchiveFormat
public import RestorationArchive

/// A difference between two values, or between the entries that hold them.
public struct ValueChange: Sendable {
  /// The kind of a change.
  public enum Kind: String, Sendable, CaseIterable {
    /// Only the new archive has the value.
    case added
    /// Only the old archive has the value.
    case removed
    /// The values differ.
    case changed
    /// The entry is now marked as sensitive.
    case marked
    /// The entry is no longer marked as sensitive.
    case unmarked
  }

  /// The part of the archive or node that holds the value.
  public enum Part: String, Sendable, CaseIterable {
    /// The header of the archive.
    case header
    /// The type tag and the schema version of the node.
    case type
    /// The reference of the node in a provider.
    case provider
    /// The save that the node was carried over from.
    case origin
    /// The notes of tools and hosts about the node.
    case attributes
    /// The state of the node.
    case state
  }

  /// A step from a container to a value in it.
  public enum Step: Sendable, Hashable {
    /// A key of a dictionary.
    case key(String)
    /// A position in an array: in the new one, or for a removed element in the old one.
    case index(Int)
  }

  /// The part that holds the value.
  public let part: Part
  /// The steps to the value; the first one is a key of the part.
  public let place: [Step]
  /// The kind of change.
  public let kind: Kind
  /// The old value; nil if it was added, or is redacted.
  public let old: ArchiveValue?
  /// The new value; nil if it was removed, or is redacted.
  public let new: ArchiveValue?
  /// Whether the value is marked as sensitive, itself or with a container that holds it.
  public let isSensitive: Bool

  /// The place for people, safe to print: keys joined with full stops, positions in brackets.
  public var placeText: String { Self.text(of: place, after: part == .state || part == .header ? "" : part.rawValue) }

  /// Returns a place for people, as ``placeText``.
  package static func text(of place: [Step], after part: String = "") -> String {
    var text = part
    for step in place {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += (text.isEmpty ? "" : ".") + Self.text(of: key)
      }
    }
    return text
  }

  /// Returns a key for people, in quotes if it could be mistaken for several steps.
  private static func text(of key: String) -> String {
    let needsQuotes = key.isEmpty || key.utf8.contains { ".[]\" :".utf8.contains($0) }
    return needsQuotes ? "\"\(key.escapedForDisplay)\"" : key.escapedForDisplay
  }
}
