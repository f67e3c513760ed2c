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
    let base = opening.layout.body.lowerBound
    let ranges = sections.map { (base + $0.range.lowerBound)..<(base + $0.range.upperBound) }
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

/// Reads the remains of state records: an intact record as a whole, others entry by entry (Spec §7.6).
///
/// An entry is rescued if all its bytes are intact and it obeys every rule. Reading continues after a lost entry if its
/// key, tag and length are intact, because they locate the next entry.
struct StateSalvage {
  private let survey: RecordSurvey
  private let opening: SalvageOpening
  private let isStrict: Bool
  private var values: ValueReader
  /// The ranges of the intact records so far: none may share bytes with an earlier one (check E0 of Spec §7.2).
  private var read: DisjointRanges
  /// The ranges of the other records so far: their entries are read only if they share bytes with no earlier record of
  /// either kind (rule R-7.6-9), so that no byte is read more than three times.
  private var damaged: DisjointRanges

  init(_ survey: RecordSurvey, limits: ReaderLimits) {
    self.survey = survey
    opening = survey.opening
    isStrict = opening.prefix.minorVersion <= ArchivePrefix.minorVersion
    let metadata = opening.metadata
    values = ValueReader(keys: metadata.keys, isStrict: isStrict, budget: ValueBudget(limits))
    let available = opening.bytes.count - opening.layout.body.lowerBound - metadata.states.lowerBound
    read = DisjointRanges(count: min(metadata.states.count, max(available, 0)))
    damaged = read
  }

  /// Returns the remaining contents of the state record of a node, and records the losses.
  mutating func contents(of index: Int, noting losses: inout LossNotes) -> StateContents {
    let metadata = opening.metadata
    guard let record = survey.record(index), record.hasStateRecord, let range = record.stateRange(length: metadata.states.count) else {
      return StateContents()
    }
    let count = losses.notes.count
    let start = opening.layout.body.lowerBound + metadata.states.lowerBound
    let bytes = (start + range.lowerBound)..<(start + range.upperBound)
    do throws(FormatError) {
      // Bytes beyond the end of the file count as damage and are not added to the set. Entries before the end may be
      // intact.
      let available = bytes.clamped(to: 0..<opening.bytes.count)
      guard available.lowerBound == bytes.lowerBound, bytes.isEmpty || !available.isEmpty else {
        throw survey.damageError(bytes) ?? FormatError(.truncated, at: nil)
      }
      let damage = survey.damageError(bytes)
      guard mayRead(range.prefix(available.count), isIntact: damage == nil) else { throw FormatError(.stateOrder, at: bytes.lowerBound) }
      let whole = VerifiedBytes(storage: opening.bytes, range: bytes, fileOffset: 0)
      if damage == nil, let contents = values.readIntactContents(of: whole, flags: record.flags) { return contents }
      do throws(FormatError) {
        return try remains(of: bytes, available: available, index, flags: record.flags, noting: &losses)
      } catch {
        throw damage ?? error
      }
    } catch {
      losses.removeAll(after: count)
      losses.append(.state, index..<(index + 1), cause: error)
      return StateContents()
    }
  }

  /// Returns whether the record at a range may be read, and remembers it.
  private mutating func mayRead(_ range: Range<Int>, isIntact: Bool) -> Bool {
    if isIntact { return read.insert(range) }
    return !read.overlaps(range) && damaged.insert(range)
  }

  // MARK: Damaged records

  /// Reads the remains of the record at `range`, of which only `available` lies within the file.
  private mutating func remains(
    of range: Range<Int>, available: Range<Int>, _ index: Int, flags: UInt8, noting losses: inout LossNotes
  ) throws(FormatError) -> StateContents {
    let storage = opening.bytes
    let span = storage.span
    let survey = survey
    let parts = try RecordParts(
      ByteCursor(available, fileOffset: 0), in: span, flags: flags, validates: false, damage: { survey.damageError($0) })
    let records = index..<(index + 1)
    var contents = StateContents()
    if let (name, identifier) = parts.provider {
      readProvider(name, identifier, &contents) { losses.append(.provider, records, cause: $0) }
    }
    if let attributes = parts.attributes {
      contents.attributes = entries(attributes, upTo: attributes.end, role: .attributes(strict: isStrict)) { key, error in
        losses.append(key == nil ? .attributes : .attribute, records, key: key, cause: error)
      }
    }
    contents.state = entries(parts.entries, upTo: range.upperBound, role: .state) { key, error in
      losses.append(key == nil ? .values : .value, records, key: key, cause: error)
    }
    return contents
  }

  private func readProvider(
    _ name: Range<Int>, _ identifier: Range<Int>, _ contents: inout StateContents, lose: (FormatError) -> Void
  ) {
    let storage = opening.bytes
    let span = storage.span
    if let error = survey.damageError(name) ?? survey.damageError(identifier) {
      lose(error)
    } else if let name = span.extracting(name).makeString(), let identifier = span.extracting(identifier).makeString() {
      contents.provider = ProviderReference(name: name, identifier: identifier)
    } else {
      lose(FormatError(.invalidUTF8, at: name.lowerBound))
    }
  }

  /// Returns the entries that can be rescued; see ``ValueReader/readIntactEntries(_:upTo:in:role:damage:lose:)``.
  private mutating func entries(
    _ cursor: ByteCursor, upTo end: Int, role: EntryRole, lose: (KeyReference?, FormatError) -> Void
  ) -> ArchiveDictionary {
    let (survey, storage) = (survey, opening.bytes)
    return values.readIntactEntries(
      cursor, upTo: end, in: storage.span, role: role, damage: { survey.damageError($0) }, lose: lose)
  }
}
