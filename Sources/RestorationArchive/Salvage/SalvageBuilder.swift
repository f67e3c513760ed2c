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
  /// The identifier of the lost-and-found node, if one is needed.
  private let lostAndFoundIdentifier: String
  private(set) var tree = ArchiveTree()
  private(set) var losses: [SalvageLoss] = []
  /// How many nodes were rescued.
  private(set) var nodeCount = 0

  init(_ opening: SalvageOpening, limits: ReaderLimits) {
    self.opening = opening
    self.limits = limits
    types = opening.metadata.allTypes
    origins = opening.metadata.allOrigins.map { ArchiveOrigin($0) }
    survey = RecordSurvey(opening)
    let roots = survey.entries.isEmpty ? [] : survey.children(of: 0).compactMap { [survey] in survey.entries[$0].identifier }
    lostAndFoundIdentifier = LostAndFound.identifier(besides: roots)
  }

  /// Where the lost-and-found node is, if there is one.
  var lostAndFound: RestorationPath? {
    survey.strays.isEmpty ? nil : RestorationPath(unchecked: [lostAndFoundIdentifier])
  }

  mutating func build() {
    tree.header = ArchiveHeader(opening.metadata.volatileHeader + opening.metadata.header)
    tree.minorVersion = opening.prefix.minorVersion
    if let error = opening.volatileHeaderError { losses.append(SalvageLoss(kind: .volatileHeader, cause: ArchiveError(error))) }
    addNodeLosses()
    var contents = readContents()
    tree.applicationState = contents.first?.state ?? [:]
    buildNodes(&contents)
    addSections()
  }

  // MARK: Nodes

  private mutating func addNodeLosses() {
    for var loss in survey.losses {
      guard let records = loss.records, records.lowerBound < survey.entries.count else {
        losses.append(loss)
        continue
      }
      let entry = survey.entries[records.lowerBound]
      if entry.place != .nowhere || records.lowerBound == 0 { loss.path = path(of: records.lowerBound) }
      if loss.kind == .nodes { loss.parent = entry.claimant.flatMap { path(of: $0) } }
      if loss.kind == .nodes, loss.path == nil, extendLast(with: loss) { continue }
      losses.append(loss)
    }
  }

  /// Counts a lost node to the loss of the one before it, if they had the same parent and the same thing happened to them.
  private mutating func extendLast(with loss: SalvageLoss) -> Bool {
    guard let last = losses.last, last.kind == .nodes, last.path == nil, last.parent == loss.parent, last.cause == loss.cause,
      let before = last.records, before.lowerBound > 0, let records = loss.records, before.upperBound == records.lowerBound
    else { return false }
    losses[losses.count - 1].records = before.lowerBound..<records.upperBound
    return true
  }

  /// What is left of the state of each record; losses are noted.
  private mutating func readContents() -> [StateContents] {
    var reader = StateSalvage(survey, limits: limits)
    return survey.entries.indices.map { index in
      guard let record = survey.entries[index].record else { return StateContents() }
      let contents = reader.contents(of: record)
      for lost in reader.lost {
        losses.append(SalvageLoss(kind: lost.kind, path: path(of: index), key: lost.key, cause: ArchiveError(lost.cause)))
      }
      return contents
    }
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
    if !strays.isEmpty { tree.nodes.append(ArchiveNode(lostAndFoundIdentifier, children: strays)) }
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
    let entry = survey.entries[index]
    let identifier = entry.identifier ?? LostAndFound.name(ofRecord: index)
    guard let record = entry.record else { return ArchiveNode(identifier) }
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

  /// Where a record's node is in the salvaged archive.
  private func path(of index: Int) -> RestorationPath? {
    var components: [String] = []
    var next = index
    while next > 0 {
      let entry = survey.entries[next]
      components.append(entry.identifier ?? LostAndFound.name(ofRecord: next))
      switch entry.place {
      case .nowhere: return nil
      case .child(of: let parent):
        next = parent
        continue
      case .unnamed: break
      case .unplaced: components.append(LostAndFound.name(ofParentOf: next))
      }
      components.append(lostAndFoundIdentifier)
      break
    }
    return RestorationPath(unchecked: components.reversed())
  }

  // MARK: Sections

  /// Takes over the ancillary sections that are intact; those that depend on the rest only if nothing of that was lost (rule R-8-6).
  private mutating func addSections() {
    let sections = opening.metadata.ancillarySections
    let causes = sections.map { survey.damageError($0.range) }
    // When and by what the archive was saved is nothing that a section depends on (rule R-7.6-7); another section is.
    let isChanged = losses.contains { $0.kind != .volatileHeader } || causes.contains { $0 != nil }
    let base = opening.layout.body.lowerBound
    for (section, damage) in zip(sections, causes) {
      var cause = damage
      if cause == nil, isChanged, !section.code.isSafeToCopy {
        cause = FormatError(
          .blockDamaged, at: base + section.range.lowerBound, "section that depends on what was lost", rule: "R-8-6")
      }
      if let cause {
        losses.append(SalvageLoss(kind: .section, section: section.code.text, cause: ArchiveError(cause)))
      } else {
        // An empty one needs no byte, and may lie behind the end of a file that was cut.
        let bytes = section.length == 0 ? [] : opening.bytes[(base + section.range.lowerBound)..<(base + section.range.upperBound)]
        tree.sections.append(ArchiveSection(section.code, data: Data(bytes)))
      }
    }
  }
}
