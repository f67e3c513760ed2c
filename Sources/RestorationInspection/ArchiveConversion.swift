import ArchiveFormat
import FoundationValues
package import KeyedArchive
package import RestorationArchive

/// Converts archives to their JSON form, to keyed archives, and back.
package enum ArchiveConversion {
  package enum Form: String, Sendable, CaseIterable {
    /// The JSON form of `Spec/json.md`.
    case json
    /// The binary form of `Spec/format.md`.
    case archive
    /// A keyed archive in the layout of `Spec/keyed-archive.md`; as a source, anything that `ImportedArchive` reads.
    case keyedArchive = "keyed-archive"
    /// A binary property list of the content, for programs that show one.
    case propertyList = "plist"
    /// The same as XML.
    case xmlPropertyList = "xml-plist"

    package var fileExtension: String {
      switch self {
      case .json: "json"
      case .archive: "rsta"
      case .keyedArchive, .propertyList, .xmlPropertyList: "plist"
      }
    }
  }

  /// Content in another form, the number of dates that lost their fraction of a second, and the codes of sections left out.
  package typealias Converted = (bytes: [UInt8], cutDates: Int, droppedSections: [String])

  package enum Refusal: Error, Sendable {
    /// The content is not a valid archive or JSON form of one.
    case unreadable(ArchiveError)
    /// The content is not a valid property list or keyed archive, or the result cannot be one.
    case unreadableKeyedArchive(KeyedArchiveError)
    /// Sensitive values would be written in the clear, and the caller did not choose how to treat them.
    case sensitiveValues
  }

  /// Returns the form of some content.
  ///
  /// Content is JSON if its first byte other than white space begins an object, and a keyed archive if it begins as a
  /// property list does. Anything else is treated as an archive, so that reading it reports the errors; so is what ends as an
  /// archive does.
  package static func form(of bytes: [UInt8]) -> Form {
    if ImportedArchive.isSource(bytes) { return .keyedArchive }
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") && !ArchivePrefix.isAtEnd(bytes.span, of: bytes.count) ? .json : .archive
  }

  /// Converts content to a form.
  ///
  /// Conversion to its own form gives the canonical bytes or text.
  ///
  /// - Parameters:
  ///   - bytes: An archive, the JSON form of one, or anything that `ImportedArchive` reads.
  ///   - target: The form to convert to.
  ///   - sensitive: The treatment of sensitive values. If nil, they are kept in an archive, and refused in other forms.
  ///   - allowsLink: Whether an archive may be a link by itself.
  /// - Returns: The content in the target form, and what that form does not have.
  /// - Throws: `Refusal.unreadable` or `Refusal.unreadableKeyedArchive` if the content is not valid, or a link is to be a
  ///   keyed archive; `Refusal.sensitiveValues`.
  package static func convert(
    _ bytes: [UInt8], to target: Form, sensitive: SensitiveValues?, allowsLink: Bool = false
  ) throws(Refusal) -> Converted {
    let progress = WorkProgress.begin(2)
    defer { progress?.end() }
    let tree = try read(bytes, allowsLink: allowsLink)
    progress?.advance(to: 1)
    return try convert(tree, to: target, sensitive: sensitive)
  }

  /// Converts an archive in memory to a form, like the function above.
  package static func convert(_ tree: ArchiveTree, to target: Form, sensitive: SensitiveValues?) throws(Refusal) -> Converted {
    guard target == .archive || sensitive != nil || !tree.hasSensitiveValues else { throw .sensitiveValues }
    var (tree, dropped): (ArchiveTree, [String]) = (tree, [])
    if sensitive == .redact {
      // What a section of others holds is not known (R-8-7).
      (dropped, tree.sections) = (tree.sections.map(\.code), [])
      tree.applicationState = tree.applicationState.redacted
      tree.nodes.changeAll { ($0.state, $0.attributes) = ($0.state.redacted, $0.attributes.redacted) }
    }
    if target == .json { return ([UInt8](tree.json()), 0, dropped) }
    if target == .archive {
      let bytes = try Result { () throws(ArchiveError) in try [UInt8](tree.encoded()) }.mapError { Refusal.unreadable($0) }.get()
      return (bytes, 0, dropped)
    }
    do throws(KeyedArchiveError) {
      // A link has no form as a keyed archive (R-K4-1), nor as a plain list.
      if tree.isLink { throw KeyedArchiveError(.notExpressible, at: nil, "archive", expected: "one that is complete", found: "a link") }
      if target == .keyedArchive { return (try [UInt8](tree.keyedArchive()), 0, dropped) }
      let list = try bytes(of: tree.propertyList(), target)
      return (list.bytes, list.cutDates, dropped)
    } catch {
      throw .unreadableKeyedArchive(error)
    }
  }

  /// Returns a property list in one of its forms, and the number of dates that lost their fraction of a second.
  package static func bytes(
    of list: PropertyList, _ target: Form
  ) throws(KeyedArchiveError) -> (bytes: [UInt8], cutDates: Int) {
    try target == .xmlPropertyList ? list.encodedXML() : (list.encodedBinary(), 0)
  }

  private static func read(_ bytes: [UInt8], allowsLink: Bool) throws(Refusal) -> ArchiveTree {
    do throws(ArchiveError) {
      switch form(of: bytes) {
      case .json: return try ArchiveTree(json: Data(bytes))
      case .archive: return try ArchiveTree(decoding: allowsLink ? ArchiveReader(link: bytes) : ArchiveReader(bytes))
      case .keyedArchive, .propertyList, .xmlPropertyList: break
      }
    } catch {
      throw .unreadable(error)
    }
    return try Result { () throws(KeyedArchiveError) in try ImportedArchive(decoding: bytes).tree }
      .mapError { Refusal.unreadableKeyedArchive($0) }.get()
  }
}

extension ArchiveDictionary {
  /// The entries with null in place of every sensitive value at any depth; they keep their sensitive marks.
  fileprivate var redacted: ArchiveDictionary {
    ArchiveDictionary(
      map { Entry(key: $0.key, value: $0.isSensitive ? .null : $0.value.redacted, isSensitive: $0.isSensitive) })
  }
}

extension ArchiveValue {
  /// The value, with every sensitive value in it replaced with null.
  var redacted: ArchiveValue {
    switch self {
    case .array(let elements): .array(elements.map(\.redacted))
    case .dictionary(let entries): .dictionary(entries.redacted)
    default: self
    }
  }
}
