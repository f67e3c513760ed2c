import ArchiveFormat

extension ArchivedNode {
  /// A decoder for its state: keyed calls and Codable.
  ///
  /// - Throws: `block-damaged` if the state lies in a damaged block.
  public func decoder() throws(ArchiveError) -> StateDecoder {
    try StateDecoder(node: self)
  }
}

extension ArchiveReader {
  /// A decoder for the state of the node at a path.
  ///
  /// - Throws: `absent-node` if there is none, and what ``node(at:)`` throws.
  public func decoder(at path: RestorationPath) throws(ArchiveError) -> StateDecoder {
    guard let node = try node(at: path) else {
      throw ArchiveError(
        FormatError(.absentNode, at: nil, "node", expected: .text("a node at this path"), found: .text("none")), path: path)
    }
    return try node.decoder()
  }
}
