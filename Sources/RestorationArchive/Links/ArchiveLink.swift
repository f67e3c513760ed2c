import ArchiveFormat

/// A link: an archive that holds what changed since another file (Spec §15).
package struct ArchiveLink: Sendable {
  /// The maximum number of links in a chain (rule R-15.4-1).
  package static let maximumCount = FormatLimits.links

  /// The file; else the first finding that counts (rule R-15.4-3), or the reason why it cannot be read.
  let checked: Result<ChainFile, ArchiveError>
  /// The length of the file.
  let byteCount: Int

  /// Checks a link.
  package init(_ bytes: [UInt8]) {
    checked = Result { () throws(ArchiveError) in try ChainFile.checked(bytes) }
    byteCount = bytes.count
  }

  /// The bytes of the file; nil if it cannot be applied.
  package var bytes: [UInt8]? { (try? checked.get())?.bytes }

  /// Creates a link that cannot be read.
  package init(unreadable error: ArchiveError) {
    (checked, byteCount) = (.failure(error), 0)
  }

  /// The digest of the file before the link, and that of the link; nil if it cannot be applied.
  package var digests: (before: ContentDigest, own: ContentDigest)? {
    guard let file = try? checked.get(), let before = file.base else { return nil }
    return (ContentDigest(rawValue: before), ContentDigest(rawValue: file.prefix.contentDigest))
  }

  /// Returns the canonical link from one archive to another (Spec §15.5).
  ///
  /// - Parameters:
  ///   - base: The bytes of the archive before.
  ///   - result: The bytes of the archive after.
  ///   - digest: The digest of the file before the link; nil for that of `base`. They differ if `base` is the archive
  ///     that a chain stands for.
  /// - Returns: The bytes of the link.
  /// - Throws: The first finding of a checker in either archive that counts (rule R-15.4-3); `wrong-base` if one of them is a
  ///   link, or if their minor versions differ.
  /// - Complexity: O(n log f) in the nodes, where f is the largest number of siblings, and O(n) in the bytes.
  package static func make(
    from base: [UInt8], to result: [UInt8], after digest: ContentDigest? = nil
  ) throws(ArchiveError) -> [UInt8] {
    let (old, new) = (try ChainFile.checked(base), try ChainFile.checked(result))
    let digest = digest ?? ContentDigest(rawValue: old.prefix.contentDigest)
    return try ArchiveError.wrapping { () throws(FormatError) in
      try LinkMaker.make(from: old, to: new, after: digest.description).makeArray()
    }
  }
}
