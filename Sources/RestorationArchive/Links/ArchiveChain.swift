import ArchiveFormat

/// A base with its links, resolved into the archive that they stand for (Spec §15).
///
///     let chain = ArchiveChain(base: base, links: links)
///     let archive = try ArchiveReader(chain.bytes)
///     if let error = chain.error { log(error, chain.appliedCount) }
///
/// A link that cannot be applied costs itself and the links after it, never the base.
package struct ArchiveChain: Sendable {
  /// The bytes of the archive after ``appliedCount`` links; those of the base if no link was applied, whether they can be
  /// read or not.
  package let bytes: [UInt8]
  /// The number of links that were applied.
  package let appliedCount: Int
  /// The reason why the link after those was not applied; nil if all were (rules R-15.4-4 and R-15.4-5).
  package let error: ArchiveError?
  /// Whether that reason is a fault of the base.
  package let isBaseAtFault: Bool

  /// Resolves a chain.
  ///
  /// - Parameters:
  ///   - base: The bytes of the base.
  ///   - links: The bytes of the links, each naming the file before it.
  /// - Complexity: O(n log f) in the nodes of all files, where f is the largest number of siblings, and O(n) in the bytes.
  package init(base: consuming [UInt8], links: [[UInt8]]) {
    self.init(base: base, checked: links.map { ArchiveLink($0) })
  }

  /// Resolves a chain whose links have been checked, each by itself.
  package init(base: consuming [UInt8], checked links: [ArchiveLink]) {
    if links.isEmpty {
      (bytes, appliedCount, error, isBaseAtFault) = (base, 0, nil, false)
      return
    }
    var bytes = base
    (appliedCount, error, isBaseAtFault) = Self.apply(links, to: &bytes)
    self.bytes = bytes
  }

  /// Applies as many links as possible.
  private static func apply(
    _ links: [ArchiveLink], to bytes: inout [UInt8]
  ) -> (count: Int, error: ArchiveError?, isBaseAtFault: Bool) {
    var (files, failure) = check(bytes, links)
    if files.isEmpty { return (0, failure, true) }
    // If a link cannot be applied, it is the last of those tried, and the ones before it can be.
    var count = files.count - 1
    while count > 0 {
      // An error about a node belongs to the first link that cannot be applied, any other error to the last link.
      var tried = 0
      do throws(FormatError) {
        let result = try ChainWriter.write(files[0], files[1...count], tried: &tried)
        // Bytes that nothing else holds are changed where they are.
        files = []
        switch result {
        case .whole(let buffer): bytes = buffer.makeArray()
        case .patch(let patch): patch.apply(to: &bytes)
        }
        return (count, failure, false)
      } catch {
        failure = ArchiveError(error, path: error.node.map { RestorationPath(validated: files[tried].identifiers(to: $0)) })
        count = tried - 1
      }
    }
    return (0, failure, false)
  }

  // MARK: Checks

  /// Checks files until one is at fault, and returns those before it.
  private static func check(_ base: [UInt8], _ links: [ArchiveLink]) -> (files: [ChainFile], failure: ArchiveError?) {
    var files: [ChainFile] = []
    var total = base.count
    do throws(ArchiveError) {
      let first = try ChainFile.checked(base)
      guard first.link == nil else {
        throw ArchiveError(.wrongBase, "first file of a chain", expected: "an archive that is no link", rule: "R-15.4-2")
      }
      files.append(first)
      for (index, link) in links.enumerated() {
        total += link.byteCount
        try checkLength(index + 1, total)
        let file = try link.checked.get()
        try check(file, after: files[index])
        files.append(file)
      }
    } catch {
      return (files, error)
    }
    return (files, nil)
  }

  private static func checkLength(_ count: Int, _ total: Int) throws(ArchiveError) {
    guard count <= FormatLimits.links else {
      throw ArchiveError(.chainLength, "chain", expected: "at most \(FormatLimits.links) links", found: .number(count))
    }
    guard UInt64(total) <= FormatLimits.longestFile else {
      throw ArchiveError(
        .fileTooLarge, "chain", expected: "at most \(FormatLimits.longestFile) bytes", found: .number(total), rule: "R-15.4-1")
    }
  }

  private static func check(_ file: ChainFile, after previous: ChainFile) throws(ArchiveError) {
    guard let base = file.base else {
      throw ArchiveError(.wrongBase, "file of a chain after the first", expected: "a link", rule: "R-15.4-2")
    }
    guard base == previous.prefix.contentDigest else {
      throw ArchiveError(
        .wrongBase, "file before a link", expected: .hexadecimal(base), found: .hexadecimal(previous.prefix.contentDigest),
        rule: "R-15.3-1")
    }
    guard file.prefix.minorVersion == previous.prefix.minorVersion else {
      throw ArchiveError(
        .wrongBase, "minor version of a link", expected: .number(previous.prefix.minorVersion), found: .number(file.prefix.minorVersion),
        rule: "R-15.3-3")
    }
  }
}

extension ChainFile {
  /// Checks a file.
  ///
  /// - Throws: The first finding that counts (rule R-15.4-3).
  static func checked(_ bytes: [UInt8]) throws(ArchiveError) -> ChainFile {
    let checker = ArchiveChecker(bytes)
    guard let file = ChainFile(checker) else { throw ArchiveCheck(checker).firstThatCounts }
    return file
  }
}
