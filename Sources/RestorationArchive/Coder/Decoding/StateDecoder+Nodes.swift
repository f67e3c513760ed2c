import ArchiveFormat

extension NodeReader {
  /// Returns a decoder for the node's state, for keyed calls and Codable types.
  ///
  /// - Throws: `block-damaged` if the state lies in a damaged block.
  public func decoder() throws(ArchiveError) -> StateDecoder {
    try StateDecoder(node: self)
  }
}

extension ArchiveReader {
  /// Returns a decoder for the state of the node at `path`.
  ///
  /// - Throws: `absent-node` if there is no such node, and the errors of ``node(at:)``.
  public func decoder(at path: RestorationPath) throws(ArchiveError) -> StateDecoder {
    guard let node = try node(at: path) else {
      throw ArchiveError(
        FormatError(.absentNode, at: nil, "node", expected: .text("a node at this path"), found: .text("none")), path: path)
    }
    return try node.decoder()
  }
}
