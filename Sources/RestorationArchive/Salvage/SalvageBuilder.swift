#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// Puts together what salvage found.
struct SalvageBuilder {
  private let opening: SalvageOpening
  private let survey: RecordSurvey
  /// The types and origins of nodes, made once, so that nodes share their texts.
  private let types: [TypeRecord]
  private let origins: [ArchiveOrigin]
  private let limits: ReaderLimits
  private(set) var tree = ArchiveTree()
  private var notes = LossNotes()
  /// How many nodes were rescued.
  private(set) var nodeCount = 0

  init(_ opening: SalvageOpening, limits: ReaderLimits) {
    self.opening = opening
    self.limits = limits
    types = opening.metadata.allTypes
    origins = opening.metadata.allOrigins.map { ArchiveOrigin($0) }
    if let error = opening.volatileHeaderError { notes.append(.volatileHeader, 0..<0, cause: error) }
    survey = RecordSurvey(opening, noting: &notes)
  }

  /// What could not be rescued.
  var losses: SalvageLosses { SalvageLosses(notes, in: survey) }

  /// Why there is nothing, if there is nothing; what lost only the volatile header was empty before.
  var firstCause: ArchiveError? {
    notes.notes.first { $0.kind != .volatileHeader }.map { notes.cause(of: $0) }
  }

  /// Where the lost-and-found node is, if there is one.
  var lostAndFound: RestorationPath? {
    survey.strays.isEmpty ? nil : RestorationPath(unchecked: [survey.lostAndFoundIdentifier])
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

  // MARK: Nodes

  /// What is left of the state of each record; losses are noted.
  private mutating func readContents() -> [StateContents] {
    var reader = StateSalvage(survey, limits: limits)
    return survey.entries.indices.map { reader.contents(of: $0, noting: &notes) }
  }

  /// Builds the nodes from the last one on, so that those below a node are there when it is built.
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

  /// A node without those below it; one that stands for a lost record has nothing.
  private mutating func node(_ index: Int, _ contents: StateContents) -> ArchiveNode {
    let identifier = survey.name(of: index)
    guard let record = survey.record(index) else { return ArchiveNode(identifier) }
    nodeCount += 1
    let type = record.type == 0 ? nil : types[Int(record.type) - 1]
    let origin = record.origin == 0 ? nil : origins[Int(record.origin) - 1]
    return ArchiveNode(
      identifier, type: type?.tag, schemaVersion: type?.schemaVersion ?? 0, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }

  /// What goes into the lost-and-found node for a record.
  private func stray(of index: Int, _ built: inout [ArchiveNode?]) -> ArchiveNode? {
    guard let node = built[index] else { return nil }
    built[index] = nil
    return survey.entries[index].place == .unplaced ? ArchiveNode(LostAndFound.name(ofParentOf: index), children: [node]) : node
  }

  // MARK: Sections

  /// Takes over the ancillary sections that are intact; those that depend on the rest only if nothing of that was lost (rule R-8-6).
  private mutating func addSections() {
    let sections = opening.metadata.ancillarySections
    let causes = sections.map { survey.damageError($0.range) }
    // When and by what the archive was saved is nothing that a section depends on (rule R-7.6-7); another section is.
    let isChanged = notes.costsContent || causes.contains { $0 != nil }
    let base = opening.layout.body.lowerBound
    for (index, damage) in zip(sections.indices, causes) {
      let section = sections[index]
      var cause = damage
      if cause == nil, isChanged, !section.code.isSafeToCopy {
        cause = FormatError(
          .blockDamaged, at: base + section.range.lowerBound, "section that depends on what was lost", rule: "R-8-6")
      }
      if let cause {
        notes.append(.section, index..<(index + 1), cause: cause)
      } else {
        // An empty one needs no byte, and may lie behind the end of a file that was cut.
        let bytes = section.length == 0 ? [] : opening.bytes[(base + section.range.lowerBound)..<(base + section.range.upperBound)]
        tree.sections.append(ArchiveSection(section.code, data: Data(bytes)))
      }
    }
  }
}
