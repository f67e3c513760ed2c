public import Foundation
public import RestorationArchive

/// Encodes an archive with keyed calls in random order, on which the bytes must not depend.
public func encodedInShuffledOrder(
  _ tree: ArchiveTree, using random: inout some RandomNumberGenerator
) throws -> Data {
  try encodedInShuffledOrder(tree, with: ArchiveWriter(header: tree.header), using: &random)
}

/// Encodes an archive as ``encodedInShuffledOrder(_:using:)`` does, with a writer that has the header of the tree.
public func encodedInShuffledOrder(
  _ tree: ArchiveTree, with writer: ArchiveWriter, using random: inout some RandomNumberGenerator
) throws -> Data {
  try addInShuffledOrder(tree, to: writer, using: &random)
  return try writer.finish()
}

/// Adds all of a tree except its header to a writer, as ``encodedInShuffledOrder(_:using:)`` does.
public func addInShuffledOrder(
  _ tree: ArchiveTree, to writer: ArchiveWriter, using random: inout some RandomNumberGenerator
) throws {
  try writer.encodeApplicationState { try encode(tree.applicationState, with: $0, &random) }
  var rest: [(ArchiveNode, ArchiveWriter.Node?)] = tree.nodes.map { ($0, nil) }
  while !rest.isEmpty {
    // A random order with parents before children and siblings in saved order: the first of a random group of remaining
    // siblings.
    let (node, parent) = rest.removeFirst()
    let added = try writer.addNode(
      node.identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: node.origin, provider: node.provider,
      attributes: node.attributes
    ) { try encode(node.state, with: $0, &random) }
    let children = node.children.map { ($0, Optional(added)) }
    rest = Bool.random(using: &random) ? children + rest : rest + children
  }
  for section in tree.sections.shuffled(using: &random) { writer.addSection(section) }
}

private func encode(_ state: ArchiveDictionary, with coder: StateEncoder, _ random: inout some RandomNumberGenerator) throws {
  for entry in state.shuffled(using: &random) {
    if Bool.random(using: &random) { try coder.encode(0, forKey: entry.key) }
    if case .dictionary(let dictionary) = entry.value, let counts = dictionary.asSwiftDictionary {
      // A Swift dictionary, whose order differs between processes.
      try coder.encode(counts, forKey: entry.key, isSensitive: entry.isSensitive)
    } else {
      try coder.encode(entry.value, forKey: entry.key, isSensitive: entry.isSensitive)
    }
  }
}

extension ArchiveDictionary {
  /// The dictionary as a Swift dictionary; nil unless all values are unmarked integers and all keys differ as Swift
  /// strings.
  fileprivate var asSwiftDictionary: [String: Int]? {
    var result: [String: Int] = [:]
    for entry in self {
      guard case .integer(let value) = entry.value, let number: Int = value.converted(), !entry.isSensitive else { return nil }
      result[entry.key] = number
    }
    return result.count == count && !isEmpty ? result : nil
  }
}
