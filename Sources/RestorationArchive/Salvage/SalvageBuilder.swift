import ArchiveFormat
import FoundationValues

/// Builds the tree of the salvaged content.
struct SalvageBuilder {
  private let opening: SalvageOpening
  private let survey: RecordSurvey
  /// The types and origins of nodes, created once so that nodes share their strings.
  private let types: [TypeRecord]
  private let origins: [ArchiveOrigin]
  private let limits: ReaderLimits
  private(set) var tree = ArchiveTree()
  private var notes = LossNotes()
  /// The number of rescued nodes.
  private(set) var nodeCount = 0

  init(_ opening: SalvageOpening, limits: ReaderLimits) {
    self.opening = opening
    self.limits = limits
    types = opening.metadata.allTypes
    origins = opening.metadata.allOrigins.map { ArchiveOrigin($0) }
    if let error = opening.volatileHeaderError { notes.append(.volatileHeader, 0..<0, cause: error) }
    survey = RecordSurvey(opening, noting: &notes)
  }

  /// The content that could not be rescued.
  var losses: ComputedList<SalvageLoss> {
    // The survey retains the whole file, which is unnecessary without losses.
    guard !notes.notes.isEmpty else { return ComputedList([]) }
    let (notes, survey) = (notes, survey)
    return ComputedList(count: notes.notes.count) { notes.loss(at: $0, in: survey) }
  }

  /// The reason why nothing is left, if nothing is left; an archive that lost only its volatile header was empty
  /// before.
  var firstCause: ArchiveError? {
    notes.notes.first { $0.kind != .volatileHeader }.map { notes.cause(of: $0) }
  }

  /// The path of the lost-and-found node, if there is one.
  var lostAndFound: RestorationPath? {
    survey.strays.isEmpty ? nil : RestorationPath(validated: [survey.lostAndFoundIdentifier])
  }

  mutating func build() {
    tree.header = ArchiveHeader(opening.metadata.volatileHeader + opening.metadata.header)
    tree.minorVersion = opening.prefix.minorVersion
    var contents = readContents()
    tree.applicationState = contents.first?.state ?? [:]
    buildNodes(&contents)
    addSections()
    notes.close()
  }

  /// Adds the content of links, and returns their number.
  mutating func add(_ links: [ArchiveLink], after digest: ContentDigest) -> Int {
    let count = SalvagedLinks.add(links, to: &tree, after: digest, isLost: notes.costsContent, limits: limits)
    if count > 0 { nodeCount = tree.nodeCount }
    return count
  }

  // MARK: Nodes

  /// Reads the remaining state of each record, and records the losses.
  private mutating func readContents() -> [StateContents] {
    var reader = StateSalvage(survey, limits: limits)
    let progress = WorkProgress.begin(survey.entries.count)
    defer { progress?.end() }
    return survey.entries.indices.map { index in
      if index % 1024 == 0 { progress?.advance(to: index) }
      return reader.contents(of: index, noting: &notes)
    }
  }

  /// Builds the nodes in reverse order, so that children are built before their parents.
  private mutating func buildNodes(_ contents: inout [StateContents]) {
    var built = [ArchiveNode?](repeating: nil, count: survey.entries.count)
    for index in survey.entries.indices.dropFirst().reversed() where survey.entries[index].place != .nowhere {
      var node = node(index, contents[index])
      contents[index] = StateContents()
      node.children = takeChildren(of: index, from: &built)
      built[index] = node
    }
    if !survey.entries.isEmpty { tree.nodes = takeChildren(of: 0, from: &built) }
    let strays = survey.strays.compactMap { stray(of: $0, &built) }
    if !strays.isEmpty { tree.nodes.append(ArchiveNode(survey.lostAndFoundIdentifier, children: strays)) }
  }

  private func takeChildren(of index: Int, from built: inout [ArchiveNode?]) -> [ArchiveNode] {
    var children: [ArchiveNode] = []
    for child in survey.children(of: index) {
      guard let node = built[child] else { continue }
      children.append(node)
      built[child] = nil
    }
    return children
  }

  /// Returns a node without its children; a placeholder for a lost record is empty.
  private mutating func node(_ index: Int, _ contents: StateContents) -> ArchiveNode {
    let identifier = survey.name(of: index)
    guard let record = survey.record(index) else { return ArchiveNode(identifier) }
    nodeCount += 1
    let type = record.type == 0 ? nil : types[Int(record.type) - 1]
    let origin = record.origin == 0 ? nil : origins[Int(record.origin) - 1]
    return ArchiveNode(
      identifier, type: type?.tag, schemaVersion: type?.version ?? 0, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }

  /// Returns the child of the lost-and-found node for a record.
  private func stray(of index: Int, _ built: inout [ArchiveNode?]) -> ArchiveNode? {
    guard let node = built[index] else { return nil }
    built[index] = nil
    return survey.entries[index].place == .unplaced ? ArchiveNode(LostAndFound.name(ofParentOf: index), children: [node]) : node
  }

  // MARK: Sections

  /// Adds the intact ancillary sections; sections that depend on the rest are added only if the rest is complete (rule
  /// R-8-6).
  private mutating func addSections() {
    let sections = opening.metadata.ancillarySections
    let ranges = sections.map { opening.layout.fileRange(of: $0.range) }
    let causes = ranges.map { survey.damageError($0) }
    // No section depends on the volatile header (rule R-7.6-7), but a section can depend on another section.
    let isChanged = notes.costsContent || causes.contains { $0 != nil }
    for (index, (range, damage)) in zip(sections.indices, zip(ranges, causes)) {
      let section = sections[index]
      var cause = damage
      if cause == nil, isChanged, !section.code.isSafeToCopy {
        cause = FormatError(
          .blockDamaged, at: range.lowerBound, "section that depends on what was lost", rule: "R-8-6")
      }
      if let cause {
        notes.append(.section, index..<(index + 1), cause: cause)
      } else {
        // An empty section has no bytes, and may lie beyond the end of a truncated file.
        let bytes = section.length == 0 ? [] : opening.bytes[range]
        tree.sections.append(ArchiveSection(section.code, data: Data(bytes)))
      }
    }
  }
}

/// The node for salvaged nodes that cannot be put back in their place (Spec §7.6).
///
///     lost-and-found
///       record 17                  a node whose name is lost; it keeps its other known content
///         list                     a child of that node, with its own name and all its content
///       parent of record 30        a placeholder for an unknown parent
///         toolbar                  record 30
///
/// Only the names in the first level are invented.
enum LostAndFound {
  /// The identifier of the node, unless a root already has it.
  static let identifier = "lost-and-found"

  /// Returns the placeholder name of a node whose name is lost.
  static func name(ofRecord index: Int) -> String { "record \(index)" }

  /// Returns the placeholder name of the parent of a node whose place is lost.
  static func name(ofParentOf index: Int) -> String { "parent of record \(index)" }

  /// Returns an identifier different from those of all roots.
  static func identifier(besides roots: some Sequence<String>) -> String {
    let taken = Set(roots.filter { $0.hasPrefix(identifier) }.map { [UInt8]($0.utf8) })
    var number = 1
    var candidate = identifier
    while taken.contains([UInt8](candidate.utf8)) {
      number += 1
      candidate = "\(identifier) \(number)"
    }
    return candidate
  }
}
