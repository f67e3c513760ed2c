#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

// The end of an archive, and the start of the next one.
extension ArchiveWriter {
  /// Prepares the writer for another archive, and discards an unfinished one.
  ///
  /// Apps that save repeatedly should keep one writer. It remembers the keys and types of the previous archive, and its
  /// length, so that an archive with the same keys takes three quarters of the time. Nodes and encoders of the previous
  /// archive become invalid.
  ///
  /// - Parameters:
  ///   - header: The header of the next archive.
  ///   - expectedNodeCount: The approximate number of nodes; nil for the number in the previous archive.
  ///   - userInfo: User information for the `encode(to:)` of encoded types.
  /// - Throws: `not-storable` while a node is being encoded; nothing changes.
  public func reset(
    header: ArchiveHeader = ArchiveHeader(), expectedNodeCount: Int? = nil, userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws(ArchiveError) {
    guard !isEncoding else {
      throw ArchiveError(FormatError(.notStorable, at: nil, "writer", expected: .text("no reset() while a node is being encoded")))
    }
    assembler.reset(nodeCount: Self.nodeCount(expectedNodeCount ?? (isFinished ? lastNodeCount : nodeCount)))
    self.header = header
    self.userInfo = userInfo
    context = nil
    sections = []
    link = nil
    // The encoder's user information and known keys belong to the previous archive.
    coder = nil
    isFinished = false
    archive &+= 1
  }

  /// Assembles the archive.
  ///
  /// Call ``reset(header:expectedNodeCount:userInfo:)`` before using the writer again.
  ///
  /// - Throws: `duplicate-identifier`, with the path; `header-type`, `unknown-header-key` or `string-length` for the
  ///   header; `section-order` for a repeated section; `table-size` for too many header entries or sections;
  ///   `file-too-large`; `not-storable` while a node is being encoded, and on a second call.
  /// - Complexity: O(n log s + b), where n is the number of nodes, s the largest number of siblings, and b the length
  ///   of the archive in bytes.
  public func finish() throws(ArchiveError) -> Data {
    try assembler.archive(with: surroundings())
  }

  /// Returns the encoded content, so that the archive can be assembled elsewhere; for a small archive, this is a fourth
  /// of the work.
  ///
  /// An app that saves does no more than this on the thread of its objects. Call
  /// ``reset(header:expectedNodeCount:userInfo:)`` before using the writer again; there is no need to wait for the
  /// assembly. Nodes of this archive become invalid.
  ///
  /// - Throws: The errors of ``finish()`` except `file-too-large`, which ``EncodedArchive/data()`` throws.
  /// - Complexity: O(n log f) in the number of nodes, where f is the largest number of siblings.
  public func finishEncoding() throws(ArchiveError) -> EncodedArchive {
    let surroundings = try surroundings()
    do throws(FormatError) {
      try assembler.checkSiblings()
    } catch {
      throw ArchiveError(error, path: error.node.map { path(of: $0) })
    }
    return finishEncoding(surroundings, keepsNodes: true)
  }

  /// Returns the content like ``finishEncoding()``, for nodes whose siblings are known to have distinct identifiers.
  ///
  /// If `keepsNodes` is false, the nodes' memory is released as soon as the archive has been assembled.
  package func finishEncodingDistinct(keepsNodes: Bool) throws(ArchiveError) -> EncodedArchive {
    finishEncoding(try surroundings(), keepsNodes: keepsNodes)
  }

  func finishEncoding(_ surroundings: ArchiveSurroundings, keepsNodes: Bool) -> EncodedArchive {
    coder = nil
    archive &+= 1
    guard isKnownUniquelyReferenced(&assembler) else {
      // A caller has retained an encoder. It can no longer encode, but still asks the assembler for paths in its
      // errors, so the assembler must stay on this thread.
      let encoded = EncodedArchive(Result { () throws(ArchiveError) in try assembler.archive(with: surroundings) })
      assembler = ArchiveAssembler()
      return encoded
    }
    let returned = returned ?? AssemblerPool()
    self.returned = returned
    let encoded = EncodedArchive(LentAssembler(assembler: assembler), surroundings, keepsNodes: keepsNodes, returned: returned)
    assembler = returned.take() ?? ArchiveAssembler()
    return encoded
  }

  /// Finishes the archive and returns its parts other than nodes.
  func surroundings() throws(ArchiveError) -> ArchiveSurroundings {
    guard !isFinished, !isEncoding else {
      throw ArchiveError(FormatError(.notStorable, at: nil, "writer", expected: .text("finish() or finishEncoding() once")))
    }
    try placeNodes()
    isFinished = true
    lastNodeCount = nodeCount
    let header = try header.headerEntries()
    let sections = sections.compactMap { section in section.formatCode.map { ($0, [UInt8](section.data)) } }
    do throws(FormatError) {
      return try ArchiveSurroundings(header: header, sections: sections, minorVersion: minorVersion, isLink: assembler.isLink)
    } catch {
      throw ArchiveError(error)
    }
  }
}
