import CorpusKit
import PropertyKit
import Foundation
import RestorationArchive
import SalvageKit
import TestStage
import Testing

/// The behavior of salvage in each case of Spec §7.6.
@Suite struct SalvageLossesTests {
  private static let sample = Result { [UInt8](try LargeArchive.tree(nodeCount: 300, seed: 5, isRich: true).encoded()) }
  let bytes: [UInt8]

  init() throws { bytes = try Self.sample.get() }

  @Test("a valid archive is returned unchanged", arguments: try Corpus.files(in: "valid"))
  func keepsValidArchives(_ file: CorpusFile) {
    let salvage = ArchiveSalvage(file.bytes)
    #expect(salvage.archive.map { [UInt8]($0) } == file.bytes)
    #expect(salvage.isComplete)
  }

  @Test("links added to an intact archive give what the chain stands for (R-7.6-10)", arguments: try CorpusChain.all())
  func addsLinks(_ chain: CorpusChain) {
    let links = chain.files.dropFirst().map { ArchiveLink($0) }
    let salvage = ArchiveSalvage(chain.files[0], followedBy: links)
    guard chain.error == nil, ArchiveSalvage(chain.files[0]).isComplete else {
      #expect(salvage.appliedLinkCount <= links.count)
      return
    }
    #expect(salvage.appliedLinkCount == links.count)
    #expect(salvage.archive.map { [UInt8]($0) } == chain.result)
    #expect(salvage.nodeCount == (try? ArchiveReader(chain.result).nodeCount))
  }

  @Test("links added to a damaged archive give all that they hold, and a valid archive (R-7.6-1, R-7.6-2, R-7.6-10)")
  func addsLinksToADamagedArchive() throws {
    let before = LargeArchive.tree(nodeCount: 300, seed: 5, isRich: true)
    for seed in 1...UInt64(TestStage.count(10, exhaustive: 300)) {
      var random = SeededGenerator(seed: seed)
      var after = before
      LinkEdits.change(&after.nodes, using: &random)
      let link = ArchiveLink(try ArchiveLink.make(from: bytes, to: [UInt8](after.encoded())))
      var damaged = bytes
      for _ in 0...random.below(3) { damaged[random.below(damaged.count)] ^= 1 }
      let salvage = ArchiveSalvage(damaged, followedBy: [link])
      guard salvage.appliedLinkCount == 1 else { continue }
      let archive = try ArchiveTree(decoding: #require(salvage.archive))
      let expected = LinkEdits.states(after.nodes), former = LinkEdits.states(before.nodes)
      let rescued = LinkEdits.states(archive.nodes)
      for (path, state) in expected where former[path] != state { #expect(rescued[path] == state, "seed \(seed): \(path)") }
      // What is not below the node for strays is in its place, whole or in part.
      for path in rescued.keys where path.first?.hasPrefix("lost-and-found") != true {
        #expect(expected[path] != nil, "seed \(seed): \(path) is invented")
      }
    }
  }

  @Test("everything written to a torn file is rescued, and every loss is reported (R-7.6-3, R-7.6-5)")
  func rescuesTornFiles() throws {
    let oracle = try SalvageOracle(LargeArchive.tree(nodeCount: 300, seed: 5, isRich: true))
    for length in stride(from: 64, to: oracle.bytes.count, by: TestStage.count(11 * 4099, exhaustive: 4099)) {
      let torn = Array(oracle.bytes.prefix(length))
      for problem in oracle.compare(ArchiveSalvage(torn), of: torn).problems { Issue.record("\(length) bytes: \(problem)") }
    }
  }

  @Test("of a record cut by the end of the file, all entries before the last whole block are rescued (R-7.6-3)", arguments: [true, false])
  func rescuesEntriesOfTornRecords(endsWithBlock: Bool) throws {
    let texts = (0..<300).map { ArchiveDictionary.Entry(key: "key \($0 + 100)", value: .string(String(repeating: "x", count: 100))) }
    let bytes = [UInt8](try ArchiveTree(nodes: [ArchiveNode("root", state: ArchiveDictionary(texts))]).encoded())
    let record = ArchiveSections(bytes).states
    // The tag and length of the text, and a key of one or two bytes.
    let longest = 2 + 2 + 100
    for block in (record / 4096 + 1)..<((record + 300 * longest) / 4096) {
      let salvage = ArchiveSalvage(Array(bytes.prefix(block * 4096 + (endsWithBlock ? 0 : 1000))))
      let state = try #require(salvage.tree?.nodes.first?.state)
      #expect(state.allSatisfy { texts.contains($0) })
      #expect(state.count >= (block * 4096 - record) / longest && state.count < 300, "\(block) blocks")
      // The key of the entry that reaches into the incomplete block may be known.
      #expect(salvage.losses.last?.kind == .values && salvage.losses.dropLast().allSatisfy { $0.kind == .value && $0.key != nil })
      let cause: ArchiveError.Code = endsWithBlock ? .truncated : .blockDamaged
      #expect(salvage.losses.count <= 2 && salvage.losses.allSatisfy { $0.path == "root" && $0.cause.code == cause })
    }
  }

  @Test("trailing bytes are harmless, whichever prefix is intact")
  func passesOverTrailingBytes() {
    var longer = bytes + [UInt8](repeating: 0x89, count: 5000)
    #expect(ArchiveSalvage(longer).archive.map { [UInt8]($0) } == bytes)
    for index in 0..<64 { longer[index] = 0 }
    let salvage = ArchiveSalvage(longer)
    #expect(salvage.archive.map { [UInt8]($0) } == bytes)
    #expect(salvage.faults.map(\.code) == [.trailingBytes, .prefixDamaged])
  }

  @Test("without an intact prefix or metadata there is no archive (R-7.6-7)", arguments: [8..<64, 256..<272])
  func refusesWhatCannotBeVerified(_ range: Range<Int>) throws {
    var bytes = bytes
    let metadata = ArchiveSections.word(bytes, 24)
    let tree = ArchiveSections.word(bytes, 28)
    for index in range {
      bytes[index] ^= 0xFF
      let copy = range.lowerBound == 8 ? bytes.count - 64 : bytes.count - 64 - tree - metadata - 64
      bytes[copy + index] ^= 0xFF
    }
    let salvage = ArchiveSalvage(bytes)
    #expect(salvage.archive == nil)
    #expect(salvage.failure?.code == (range.lowerBound == 8 ? .prefixDamaged : .metadataDamaged))
    #expect(salvage.losses.isEmpty && salvage.faults.isEmpty)
  }

  @Test("a lost volatile header loses nothing else, and each part of the metadata can come from either copy (R-7.6-3)")
  func salvagesPartsOfMetadata() throws {
    let bytes = self.bytes
    let second = bytes.count - 64 - ArchiveSections.word(bytes, 28) - ArchiveSections.word(bytes, 24)
    func salvage(flipping places: [Int]) -> ArchiveSalvage {
      var damaged = bytes
      for place in places { damaged[place] ^= 1 }
      return ArchiveSalvage(damaged)
    }
    for places in [[64, second + 192], [256, second]] {
      let salvage = salvage(flipping: places)
      #expect(salvage.isComplete && salvage.archive.map { [UInt8]($0) } == bytes)
    }
    let headless = salvage(flipping: [64, second])
    #expect(headless.losses.map(\.kind) == [.volatileHeader])
    let cause = "(metadata-damaged at offset 0x\(String(second, radix: 16)))"
    #expect(headless.losses[0].description == "the timestamp, system version and writer \(cause)")
    var expected = try ArchiveTree(decoding: Data(bytes))
    (expected.header.timestamp, expected.header.systemVersion, expected.header.writer) = (nil, nil, nil)
    #expect(headless.tree == expected)
  }

  @Test("flagged attributes that are empty are the same as none: nothing is lost with them (R-7.6-5)")
  func losesNothingWithEmptyAttributes() throws {
    let faulty = try Corpus.bytes(of: "invalid/6.3-state/attributes-empty.hex")
    #expect(throws: ArchiveError.self) { try ArchiveTree(decoding: Data(faulty)) }
    let salvage = ArchiveSalvage(faulty)
    #expect(salvage.isComplete && salvage.losses.isEmpty)
    #expect(try ArchiveTree(decoding: #require(salvage.archive)).nodes == [ArchiveNode("root")])
  }

  /// An archive with metadata of ten blocks and a checksum tree of several sectors, and the ranges of their copies.
  private static func archiveOfLargeParts() throws -> (bytes: [UInt8], metadata: [Range<Int>], tree: [Range<Int>]) {
    let nodes = (0..<400).map { ArchiveNode("node-\($0)", type: "\($0)" + String(repeating: "x", count: 110)) }
    let bytes = [UInt8](try ArchiveTree(applicationState: ["blob": .data(Data(repeating: 7, count: 1_600_000))], nodes: nodes).encoded())
    let body = ArchiveSections(bytes).body
    let length = ArchiveSections.word(bytes, 24)
    let metadata = [64, body.upperBound].map { $0..<($0 + length) }
    return (bytes, metadata, metadata.map { $0.upperBound..<($0.upperBound + ArchiveSections.word(bytes, 28)) })
  }

  @Test("two damaged copies that lost different sectors are combined into an intact one", arguments: [true, false])
  func splicesCopies(isMetadata: Bool) throws {
    let (bytes, metadata, tree) = try Self.archiveOfLargeParts()
    let copies = isMetadata ? metadata : tree
    var damaged = bytes
    damaged[copies[0].lowerBound + 5] ^= 1
    for place in [copies[0].lowerBound + 1500, copies[1].upperBound - 5] { damaged[place] ^= 0x80 }
    #expect(throws: ArchiveError.self) { try ArchiveTree(decoding: Data(damaged)) }
    let salvage = ArchiveSalvage(damaged)
    #expect(salvage.isComplete)
    #expect(salvage.archive.map { [UInt8]($0) } == bytes)
    #expect(salvage.faults.map(\.code.rawValue) == [String](repeating: isMetadata ? "metadata-damaged" : "tree-damaged", count: 2))
  }

  @Test("combining fails if two damaged copies have too many differences, or the same loss")
  func doesNotSpliceForEver() throws {
    let (bytes, copies, _) = try Self.archiveOfLargeParts()
    var scattered = bytes
    for place in stride(from: copies[0].lowerBound, to: copies[0].upperBound, by: 4096) { scattered[place] ^= 1 }
    scattered[copies[1].upperBound - 1] ^= 1
    var same = bytes
    for copy in copies { same[copy.lowerBound + 9000] ^= 1 }
    for damaged in [scattered, same] { #expect(ArchiveSalvage(damaged).failure?.code == .metadataDamaged) }
  }

  @Test("if no content is left there is no archive, since an empty one would claim an empty state (R-7.6-6)")
  func doesNotCallLostThingsEmpty() throws {
    let bytes = [UInt8](try ArchiveTree(nodes: [ArchiveNode("root", state: ["row": 1])]).encoded())
    var damaged = bytes
    damaged[bytes.count / 2] ^= 1
    #expect(ArchiveSalvage(damaged).archive == nil)
    let empty = [UInt8](try ArchiveTree().encoded())
    #expect(ArchiveSalvage(empty).archive.map { [UInt8]($0) } == empty)
  }

  @Test("of two archives in one file, the one with more intact content is chosen, and never a mixture (R-7.6-7)", arguments: [0.25, 0.75])
  func doesNotMix(_ share: Double) throws {
    var tree = try ArchiveTree(decoding: Data(bytes))
    for index in tree.nodes.indices { tree.nodes[index].state["row"] = .integer(7 - index) }
    let other = [UInt8](try tree.encoded())
    try #require(other.count == bytes.count)
    let cut = Int(Double(other.count) * share)
    let salvage = ArchiveSalvage(Array(other.prefix(cut)) + Array(bytes.dropFirst(cut)))
    let kept = share < 0.5 ? try ArchiveTree(decoding: Data(bytes)) : tree
    for node in try #require(salvage.tree).nodes where node.identifier != "lost-and-found" {
      let original = kept.nodes.first { $0.identifier == node.identifier }
      for entry in node.state { #expect(original?.state.entry(forKey: entry.key) == entry) }
    }
  }

  @Test("a root named like the lost-and-found node keeps its name (R-7.6-4)")
  func keepsApartFromRoots() throws {
    var nodes = ["lost-and-found", "lost-and-found 2"].map { ArchiveNode($0, state: ["text": "kept"]) }
    nodes += (0..<400).map { ArchiveNode("a-long-identifier-that-is-in-the-strings-\($0)") }
    let bytes = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    // The strings follow the records; a damaged block in the middle of the strings loses the names of some nodes.
    var damaged = bytes
    damaged[ArchiveSections(bytes).strings + 6000] ^= 1
    let salvage = ArchiveSalvage(damaged)
    #expect(salvage.lostAndFound == "lost-and-found 3")
    #expect(salvage.nodeCount == 402)
    #expect(salvage.tree?.nodes.prefix(2).map(\.state) == [["text": "kept"], ["text": "kept"]])
    #expect(salvage.losses.allSatisfy { $0.kind == .identifier })
  }

  @Test("a partly damaged state record yields its intact entries, and the losses name the others (R-7.6-3, R-7.6-5)")
  func rescuesEntries() throws {
    let state: ArchiveDictionary = [
      "a": "first", "blob": .data(Data(repeating: 7, count: 20_000)), "c": .integer(3), "list": .array([1, 2]),
    ]
    let bytes = [UInt8](try ArchiveTree(nodes: [ArchiveNode("root", state: state)]).encoded())
    var damaged = bytes
    damaged[10_000] ^= 1
    let salvage = ArchiveSalvage(damaged)
    var expected = state
    expected["blob"] = Optional<ArchiveValue>.none
    #expect(salvage.tree?.nodes.first?.state == expected)
    #expect(salvage.losses.map(\.kind) == [.value])
    #expect(salvage.losses.first?.key == "blob")
    #expect(salvage.losses.first?.path == "root")
  }

  @Test("dependent sections are dropped and reported if anything was lost (R-7.6-1, R-8-6)")
  func dropsDependentSections() throws {
    var tree = try ArchiveTree(decoding: Data(bytes))
    tree.sections = [try ArchiveSection(code: "teSt", data: Data([1, 2])), try ArchiveSection(code: "teST", data: Data([3]))]
    var bytes = [UInt8](try tree.encoded())
    #expect(ArchiveSalvage(bytes).tree?.sections.count == 2)
    bytes[ArchiveSections(bytes).states + 100] ^= 1
    let salvage = ArchiveSalvage(bytes)
    #expect(salvage.tree?.sections.map(\.code) == ["teSt"])
    #expect(salvage.losses.last?.section == "teST")
  }

  @Test("sections do not depend on the volatile header, but on other sections (R-7.6-7, R-8-6)")
  func tellsWhatSectionsDependOn() throws {
    var tree = try ArchiveTree(decoding: Data(bytes))
    tree.sections = [
      try ArchiveSection(code: "teST", data: Data([3])), try ArchiveSection(code: "teSt", data: Data(repeating: 1, count: 9000)),
    ]
    let bytes = [UInt8](try tree.encoded())
    let second = bytes.count - 64 - ArchiveSections.word(bytes, 28) - ArchiveSections.word(bytes, 24)
    var headless = bytes
    for place in [64, second] { headless[place] ^= 1 }
    let salvage = ArchiveSalvage(headless)
    #expect(salvage.losses.map(\.kind) == [.volatileHeader])
    #expect(salvage.tree?.sections == tree.sections)
    // The middle of the safe-to-copy section, which has blocks of its own.
    var sectionless = bytes
    sectionless[ArchiveSections(bytes).body.upperBound - 5000] ^= 1
    let rest = ArchiveSalvage(sectionless)
    #expect(rest.losses.map(\.section) == ["teST", "teSt"])
    #expect(rest.tree?.sections == [])
  }

  @Test("a chain that becomes 257 deep is kept in two parts (R-7.6-2, R-7.6-4, R-7.6-8)")
  func keepsChainThatBecomesTooDeep() throws {
    // Only the identifier of the chain's root is lost: it lies in a block of the strings between those of other roots.
    func long(_ letter: String) -> String { String(repeating: letter, count: 1000) }
    var chain = ArchiveNode("node-256", state: ["depth": 256], children: [])
    for depth in (2..<256).reversed() { chain = ArchiveNode("node-\(depth)", state: ["depth": .integer(depth)], children: [chain]) }
    chain = ArchiveNode(long("m"), state: ["depth": 1], children: [chain])
    let others = ["a", "b", "c", "d", "e", "v", "w", "x", "y", "z"].map { ArchiveNode(long($0)) }
    var damaged = [UInt8](try ArchiveTree(nodes: others + [chain]).encoded())
    damaged[ArchiveSections(damaged).strings + 5500] ^= 1
    let salvage = ArchiveSalvage(damaged)
    let tree = try #require(salvage.tree)
    #expect(ArchiveCheck(try #require(salvage.archive)).isValid)
    #expect(salvage.nodeCount == 266)
    let top = try #require(tree.nodes.last)
    #expect(top.identifier == "lost-and-found" && top.children.contains { $0.identifier == "record 6" && $0.state == ["depth": 1] })
    #expect(top.children.last == ArchiveNode("parent of record 266", children: [ArchiveNode("node-256", state: ["depth": 256])]))
    let place = try #require(salvage.losses.last)
    #expect(place.kind == .place && place.records == 266..<267 && place.cause.code == .pathDepth)
    #expect(salvage.losses.dropLast().allSatisfy { $0.kind == .identifier })
  }

  @Test("a record with an index beyond its table is lost, and the others are kept (R-7.6-1, R-7.6-3)", arguments: ["type", "origin"])
  func losesRecordsWithWrongIndex(_ table: String) throws {
    let salvage = ArchiveSalvage(try Corpus.file("invalid/6.4-nodes/\(table)-index-one-more.hex").bytes)
    #expect(salvage.losses.map(\.kind) == [.nodes])
    #expect(salvage.losses.map(\.cause.code.rawValue) == ["\(table)-index"])
  }

  @Test("an entry of unknown type is lost, and the others are kept (R-7.6-1, R-7.6-5)")
  func losesUnknownValueTypes() throws {
    let salvage = ArchiveSalvage(try Corpus.file("forward/minor-1-value-type.hex").bytes)
    #expect(salvage.losses.map(\.kind) == [.value] && salvage.losses.allSatisfy { $0.key != nil && $0.records != nil })
    #expect(salvage.losses.map(\.cause.code.rawValue) == ["unknown-value-type"])
  }

  @Test("intact metadata that break a rule give no archive (R-7.6-7)", arguments: try Corpus.files(in: "invalid/4.3-metadata"))
  func trustsNoFaultyMetadata(_ file: CorpusFile) throws {
    let first = try #require(file.expectation?.findings.first)
    // Unused types are findings about the whole archive, and faults of nodes are not faults of the metadata.
    if first.code.hasPrefix("unused-") || first.code.hasPrefix("node-") || first.code == "metadata-damaged" { return }
    let salvage = ArchiveSalvage(file.bytes)
    #expect(salvage.archive == nil && salvage.failure?.code.rawValue == first.code)
  }

  @Test("invalid files are salvaged as valid archives (R-7.6-2)", arguments: try Corpus.files(in: "invalid"))
  func mendsFaultyFiles(_ file: CorpusFile) {
    let salvage = ArchiveSalvage(file.bytes)
    if let archive = salvage.archive { #expect(ArchiveCheck(archive).isValid) } else { #expect(salvage.failure != nil) }
  }

  @Test("exceeding the reader's value budget is reported as a loss with that cause (R-10-1)")
  func keepsBudget() throws {
    let nodes = (0..<10).map { ArchiveNode("n\($0)", state: ["row": .integer($0)]) }
    let bytes = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    #expect(ArchiveSalvage(bytes, limits: ReaderLimits(values: 10)).isComplete)
    let salvage = ArchiveSalvage(bytes, limits: ReaderLimits(values: 9))
    #expect(salvage.losses.map(\.cause.code) == [.valueBudget])
  }

  @Test("the rest of partly damaged providers and attributes is rescued, and each loss is named (R-7.6-3, R-7.6-5)")
  func rescuesProviders() throws {
    // Each record takes more than a quarter of a block, so that block boundaries fall into every part of a record.
    let nodes = (0..<40).map { number in
      ArchiveNode(
        "node-\(number)", provider: ProviderReference(name: "list", identifier: String(repeating: "i", count: 700 + number)),
        attributes: number % 2 == 0
          ? [:] : ["com.example.note": .string(String(repeating: "n", count: 200)), "com.example.\u{1B}other": 1],
        state: ["text": .string(String(repeating: "t", count: 300)), "row": .integer(number)])
    }
    let bytes = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    var kinds: Set<SalvageLoss.Kind> = []
    for place in stride(from: ArchiveSections(bytes).states + 4096, to: ArchiveSections(bytes).body.upperBound, by: 4096) {
      var damaged = bytes
      damaged[place] ^= 1
      let salvage = ArchiveSalvage(damaged)
      for node in try #require(salvage.tree).nodes {
        let original = try #require(nodes.first { $0.identifier == node.identifier })
        let path = try RestorationPath(components: [node.identifier])
        let lost = Set(salvage.losses.filter { $0.path == path }.map(\.kind))
        #expect(node.provider == (lost.isDisjoint(with: [.provider, .state]) ? original.provider : nil))
        for entry in node.attributes { #expect(original.attributes.entry(forKey: entry.key) == entry) }
        for entry in node.state { #expect(original.state.entry(forKey: entry.key) == entry) }
        if lost.isEmpty { #expect(node == original) }
      }
      for loss in salvage.losses {
        kinds.insert(loss.kind)
        #expect(loss.description.contains("node-"))
        #expect(loss.description.hasSuffix("(block-damaged at offset 0x\(String(loss.cause.offset ?? 0, radix: 16)))"))
        #expect(!loss.description.contains("\u{1B}"))
      }
    }
    #expect(kinds.isSuperset(of: [.provider, .attribute, .state]))
  }

  @Test("each loss is described in one line: what was lost, where, and why")
  func describesLosses() throws {
    let names = (0..<400).map { "a-long-identifier-that-is-in-the-strings-\($0)" }
    let nodes = names.map { ArchiveNode($0, state: ["blob": .data(Data(repeating: 7, count: 100)), "row": 1]) }
    let section = try ArchiveSection(code: "teSt", data: Data(repeating: 1, count: 9000))
    let bytes = [UInt8](try ArchiveTree(nodes: nodes, sections: [section]).encoded())
    let sections = ArchiveSections(bytes)
    for (place, words) in [
      (sections.nodes + 50, ["the record of the application, and its state", "nodes 1 to 75"]),
      (sections.strings + 6000, ["the identifier of node 111, which is now lost-and-found/record 111"]),
      (sections.states + 9000, ["the state of \(names[100]), from offset 0xb000 on"]), (sections.body.upperBound - 5000, ["section teSt"]),
    ] {
      var damaged = bytes
      damaged[place] ^= 1
      let losses = ArchiveSalvage(damaged).losses.prefix(words.count)
      let block = max(place / 4096 * 4096, sections.body.lowerBound)
      #expect(losses.map(\.description) == words.map { "\($0) (block-damaged at offset 0x\(String(block, radix: 16)))" })
    }
  }

  @Test("losses in many nodes below a long path are reported one by one, in full (R-7.6-5)")
  func tellsManyLosses() throws {
    let count = 500
    let salvage = ArchiveSalvage(HostileArchive.faultyStatesBelowLongPath(count: count, identifierLength: 1000).bytes)
    #expect(salvage.losses.count == count && salvage.nodeCount == count + 255)
    var paths: Set<String> = []
    for loss in salvage.losses {
      #expect(loss.kind == .values && loss.path?.count == 256)
      paths.insert(try #require(loss.path?.identifier))
    }
    #expect(paths.count == count)
    #expect(salvage.losses.allSatisfy { $0.description.hasPrefix("the state of …/") })
  }

  @Test("lost entries are named by their keys, whether in the table or inline")
  func namesKeys() throws {
    // Only the entry with invalid UTF-8 is lost. Keys of more than 63 bytes are stored inline.
    let long = String(repeating: "k", count: 100)
    let bytes = [UInt8](try ArchiveTree(nodes: [ArchiveNode("root", state: ["a": "first", long: "second", "z": 3])]).encoded())
    var damaged = try #require(HostileArchive.replacing(Array("first".utf8), by: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], in: bytes))
    damaged = try #require(HostileArchive.replacing(Array("second".utf8), by: [UInt8](repeating: 0xFE, count: 6), in: damaged))
    let salvage = ArchiveSalvage(damaged)
    #expect(salvage.losses.map(\.key) == ["a", long])
    #expect(salvage.losses.map(\.kind) == [.value, .value])
    #expect(salvage.losses.map(\.cause.code.rawValue) == ["invalid-utf8", "invalid-utf8"])
    #expect(salvage.tree?.nodes.first?.state == ["z": 3])
  }
}

/// Edits of a tree, as an app makes them between two saves.
private enum LinkEdits {
  /// Changes, removes, moves and adds nodes.
  static func change(_ nodes: inout [ArchiveNode], using random: inout SeededGenerator) {
    if nodes.count > 1, random.below(4) == 0 { nodes.swapAt(0, random.below(nodes.count)) }
    if nodes.count > 2, random.below(6) == 0 { nodes.remove(at: random.below(nodes.count)) }
    if random.below(6) == 0 {
      let new = ArchiveNode("new \(random.below(1000))", state: ["n": .string("\(random.below(100))")])
      if !nodes.contains(where: { $0.identifier == new.identifier }) { nodes.insert(new, at: random.below(nodes.count + 1)) }
    }
    for index in nodes.indices {
      if random.below(8) == 0 { nodes[index].state["edited"] = .string("\(random.below(100))") }
      change(&nodes[index].children, using: &random)
    }
  }

  /// The state of each node by its path.
  static func states(_ nodes: [ArchiveNode], below path: [String] = []) -> [[String]: ArchiveDictionary] {
    var result: [[String]: ArchiveDictionary] = [:]
    for node in nodes {
      result[path + [node.identifier]] = node.state
      result.merge(states(node.children, below: path + [node.identifier])) { first, _ in first }
    }
    return result
  }
}
