import PropertyKit
import Foundation
import RestorationArchive
import SalvageKit
import Testing

/// When an open file changes, every read returns the old content or an error (R-7.5-1, Behaviours 49).
@Suite struct StableTests {
  /// A file with an archive, the content of the archive, and another archive of the same length.
  struct Sample {
    let folder: URL
    let file: URL
    let tree: ArchiveTree
    let other: Data

    init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      file = folder.appendingPathComponent("archive.rsta")
      tree = LargeArchive.tree(nodeCount: 800, seed: 11)
      try tree.encoded().write(to: file)
      var changed = tree
      Sample.change(&changed.nodes)
      other = try changed.encoded()
    }

    /// Replaces each title by one of the same length.
    private static func change(_ nodes: inout [ArchiveNode]) {
      for index in nodes.indices {
        if case .string(let title) = nodes[index].state["title"] { nodes[index].state["title"] = .string(String(title.reversed())) }
        change(&nodes[index].children)
      }
    }
  }

  static let changes: [(name: String, change: @Sendable (Sample) throws -> Void)] = [
    ("cut to nothing", { try FileHandle(forWritingTo: $0.file).truncate(atOffset: 0) }),
    ("cut in the middle", { try FileHandle(forWritingTo: $0.file).truncate(atOffset: 20_000) }),
    (
      "grown",
      { sample in
        let handle = try FileHandle(forWritingTo: sample.file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 1, count: 10_000))
      }
    ),
    (
      "overwritten in place with another valid archive",
      { sample in
        let handle = try FileHandle(forUpdating: sample.file)
        try handle.write(contentsOf: sample.other)
      }
    ),
    (
      "overwritten in its second half",
      { sample in
        let handle = try FileHandle(forUpdating: sample.file)
        try handle.seek(toOffset: UInt64(sample.other.count / 2))
        try handle.write(contentsOf: sample.other.suffix(from: sample.other.count / 2))
      }
    ),
    ("replaced by rename", { try $0.other.write(to: $0.file, options: .atomic) }),
    ("removed", { try FileManager.default.removeItem(at: $0.file) }),
  ]

  @Test("49: after any change to the file, each read returns the old content or an error (R-7.5-1)", arguments: changes.indices)
  func givesOldContentOrError(_ index: Int) throws {
    let (name, change) = Self.changes[index]
    let sample = try Sample()
    defer { try? FileManager.default.removeItem(at: sample.folder) }
    #expect(sample.other.count == (try Data(contentsOf: sample.file)).count)
    let reader = try ArchiveReader(contentsOfFile: sample.file.path)
    // Some blocks are read before the change, most after it.
    _ = try reader.node(at: RestorationPath(components: [sample.tree.nodes[0].identifier]))?.state()
    try change(sample)
    var outcomes = (old: 0, errors: 0)
    try visit(sample.tree.nodes, .application, reader, &outcomes, name)
    #expect(outcomes.old + outcomes.errors == 800)
    if name.hasPrefix("replaced") || name.hasPrefix("removed") || name == "grown" { #expect(outcomes.errors == 0) }
    if name.hasPrefix("cut") || name.hasPrefix("overwritten") { #expect(outcomes.errors > 0) }
  }

  private func visit(
    _ nodes: [ArchiveNode], _ parent: RestorationPath, _ reader: ArchiveReader, _ outcomes: inout (old: Int, errors: Int), _ name: String
  ) throws {
    for node in nodes {
      let path = parent.appending(node.identifier)
      do {
        let state = try reader.node(at: path)?.state()
        #expect(state == node.state, "\(name), path \(path)")
        outcomes.old += 1
      } catch {
        outcomes.errors += 1
      }
      try visit(node.children, path, reader, &outcomes, name)
    }
  }

  @Test("a bit that flips on disk between two reads of a block is an error at the second read (R-4.4-3)")
  func findsLaterFlips() throws {
    let sample = try Sample()
    defer { try? FileManager.default.removeItem(at: sample.folder) }
    let reader = try ArchiveReader(contentsOfFile: sample.file.path)
    let first = try RestorationPath(components: [sample.tree.nodes[0].identifier])
    let state = try reader.node(at: first)?.state()
    #expect(state == sample.tree.nodes[0].state)
    // A bit of every byte in the body changes. Then enough other blocks are read to evict this block from the cache.
    var bytes = try [UInt8](Data(contentsOf: sample.file))
    for index in (ArchiveSections(bytes).nodes)..<bytes.count { bytes[index] ^= 1 }
    let handle = try FileHandle(forUpdating: sample.file)
    try handle.write(contentsOf: Data(bytes))
    for node in sample.tree.nodes { _ = try? reader.node(at: first.appending(node.identifier))?.state() }
    var outcomes = (old: 0, errors: 0)
    try visit(sample.tree.nodes, .application, reader, &outcomes, "flipped")
    #expect(outcomes.errors > 700)
    let fresh = try? ArchiveReader(contentsOfFile: sample.file.path).node(at: first)
    #expect(fresh == nil)
  }

  @Test("several threads can read one archive concurrently", arguments: [true, false])
  func isReadConcurrently(fromFile: Bool) async throws {
    let sample = try Sample()
    defer { try? FileManager.default.removeItem(at: sample.folder) }
    let reader =
      fromFile
      ? try ArchiveReader(contentsOfFile: sample.file.path) : try ArchiveReader(Data(contentsOf: sample.file))
    let tree = sample.tree
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 { group.addTask { (try? ArchiveTree(decoding: reader)) == tree } }
      for await isSame in group { #expect(isSame) }
    }
  }
}
