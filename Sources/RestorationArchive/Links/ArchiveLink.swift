import ArchiveFormat

/// Links as bytes: archives that hold what changed since another file (Spec §15).
package enum ArchiveLink {
  /// The maximum number of links in a chain (rule R-15.4-1).
  package static let maximumCount = FormatLimits.links

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
