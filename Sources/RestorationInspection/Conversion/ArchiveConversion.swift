#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat
public import RestorationArchive

/// Turns archives into their JSON form and back.
public enum ArchiveConversion {
  /// A form of an archive.
  public enum Form: String, Sendable, CaseIterable {
    /// The JSON form of `Spec/json.md`.
    case json
    /// The binary form of `Spec/format.md`.
    case archive
  }

  /// Why a conversion was not made.
  public enum Refusal: Error, Sendable {
    /// The content is neither an archive nor the JSON form of one, or not a valid one.
    case unreadable(ArchiveError)
    /// Sensitive values would be written in the clear, and nobody said what to do with them.
    case sensitiveValues
  }

  /// The form that some content is in.
  ///
  /// It is JSON if the first byte that is not white space begins an object; anything else is taken for an archive, so that what is wrong
  /// with it is told.
  public static func form(of bytes: [UInt8]) -> Form {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") ? .json : .archive
  }

  /// Converts content to a form; to its own form too, which gives the canonical bytes or text.
  ///
  /// - Parameters:
  ///   - bytes: An archive or the JSON form of one.
  ///   - target: What to convert to.
  ///   - sensitive: What to do with sensitive values; if nil, they are kept in an archive, and refused in JSON.
  /// - Returns: The content in the other form.
  /// - Throws: Why not.
  public static func convert(_ bytes: [UInt8], to target: Form, sensitive: SensitiveValues?) throws(Refusal) -> [UInt8] {
    var tree = try read(bytes)
    switch target {
    case .json:
      guard sensitive != nil || !tree.hasSensitiveValues else { throw .sensitiveValues }
      return [UInt8](tree.json(sensitiveValues: sensitive ?? .reveal))
    case .archive:
      if sensitive == .redact { tree.redactSensitiveValues() }
      do throws(ArchiveError) {
        return try [UInt8](tree.encoded())
      } catch {
        throw .unreadable(error)
      }
    }
  }

  private static func read(_ bytes: [UInt8]) throws(Refusal) -> ArchiveTree {
    do throws(ArchiveError) {
      switch form(of: bytes) {
      case .json: return try ArchiveTree(json: Data(bytes))
      case .archive: return try ArchiveTree(decoding: ArchiveReader(bytes))
      }
    } catch {
      throw .unreadable(error)
    }
  }
}
