import ArchiveFormat
import RestorationArchive

extension ArchiveDifference {
  /// The ways in which two partners differ.
  struct Deviations: OptionSet {
    let rawValue: UInt8
    /// Type, origin, provider, attributes or state differ.
    static let contents = Deviations(rawValue: 1)
    /// The order of children differs.
    static let order = Deviations(rawValue: 2)
    /// One of the nodes cannot be read.
    static let unreadable = Deviations(rawValue: 4)
    /// The node was carried over by more saves, or by fewer, from the same save.
    static let carried = Deviations(rawValue: 8)
  }

  /// Compares two partners.
  func deviations(_ oldIndex: Int, _ newIndex: Int) -> Deviations {
    guard let mine = old.record(of: oldIndex), let theirs = new.record(of: newIndex) else { return .unreadable }
    var found: Deviations = []
    let (oldOrigin, newOrigin) = (old.origin(of: mine), new.origin(of: theirs))
    if old.type(of: mine) != new.type(of: theirs) || !Self.isSame(oldOrigin, newOrigin) {
      found.insert(.contents)
    } else if oldOrigin != newOrigin {
      found.insert(.carried)
    }
    if mine.childCount > 1, theirs.childCount > 1, !matching.orderChanges(oldIndex, newIndex).isEmpty {
      found.insert(.order)
    }
    if hasEqualBytes(oldIndex, mine, newIndex, theirs) { return found }
    do throws(ArchiveError) {
      if try old.contents(of: oldIndex) != new.contents(of: newIndex) { found.insert(.contents) }
    } catch {
      found.insert(.unreadable)
    }
    return found
  }

  /// Whether the stored bytes show that the contents are equal.
  private func hasEqualBytes(_ oldIndex: Int, _ mine: NodeRecord, _ newIndex: Int, _ theirs: NodeRecord) -> Bool {
    if mine.stateLength == 0, theirs.stateLength == 0 { return mine.flags == theirs.flags }
    guard sharesKeys, mine.stateLength == theirs.stateLength, mine.flags == theirs.flags,
      let oldNode = try? old.archive.records.node(at: oldIndex), let newNode = try? new.archive.records.node(at: newIndex),
      let left = try? old.archive.records.state(of: oldNode), let right = try? new.archive.records.state(of: newNode)
    else { return false }
    return left.storage.span.extracting(left.range).isEqual(to: right.storage.span.extracting(right.range))
  }

  /// Whether two origins are the same save.
  private static func isSame(_ left: OriginRecord?, _ right: OriginRecord?) -> Bool {
    guard let left, let right else { return left == right }
    return left.bundleVersion == right.bundleVersion && left.timestampBits == right.timestampBits
  }

  // MARK: Changes

  /// Returns the changed values of two partners.
  ///
  /// - Throws: The error of a node that cannot be read.
  func valueChanges(_ oldIndex: Int, _ newIndex: Int) throws(ArchiveError) -> [ValueChange] {
    var (mine, theirs) = (try parts(of: oldIndex, in: old), try parts(of: newIndex, in: new))
    let origins = (old.record(of: oldIndex).flatMap { old.origin(of: $0) }, new.record(of: newIndex).flatMap { new.origin(of: $0) })
    if Self.isSame(origins.0, origins.1) { (mine[.origin], theirs[.origin]) = (nil, nil) }
    return changes(from: mine, to: theirs)
  }

  typealias Parts = [ValueChange.Part: ArchiveDictionary]

  /// Returns the changes between the parts of two nodes; one without parts is only in the other archive.
  func changes(from old: Parts, to new: Parts) -> [ValueChange] {
    // The type of an added or removed node is part of its line.
    let isWhole = !old.isEmpty && !new.isEmpty
    return ValueChange.Part.allCases.filter { isWhole || $0 != .type }.flatMap { part in
      ValueComparison.changes(in: part, old[part] ?? [:], new[part] ?? [:], options.sensitive)
    }
  }

  /// Returns everything that a record and its contents say, as dictionaries.
  func parts(of index: Int, in tree: ComparedTree) throws(ArchiveError) -> Parts {
    let contents = try tree.contents(of: index)
    var parts: Parts = [.attributes: contents.attributes, .state: contents.state]
    if let provider = contents.provider { parts[.provider] = ["identifier": .string(provider.identifier), "name": .string(provider.name)] }
    guard let record = tree.record(of: index) else { return parts }
    if let type = tree.type(of: record) {
      parts[.type] = ["schema": .integer(ArchiveInteger(Int(type.schemaVersion))), "tag": .string(type.tag)]
    }
    if let origin = tree.origin(of: record) { parts[.origin] = Self.entries(of: origin) }
    return parts
  }

  private static func entries(of origin: OriginRecord) -> ArchiveDictionary {
    var entries: ArchiveDictionary = ["sessionsCarried": .integer(ArchiveInteger(Int(origin.sessionsCarried)))]
    if let version = origin.bundleVersion { entries["bundleVersion"] = .string(version) }
    if let bits = origin.timestampBits { entries["timestamp"] = ArchiveValue(HeaderScalar.date(bits)) }
    return entries
  }
}

extension NodeMatching {
  /// Returns the shared children of two partners whose relative order differs, in the new order.
  ///
  /// The fewest children are named: the others are a longest sequence in the same order.
  func orderChanges(_ oldIndex: Int, _ newIndex: Int) -> [OrderChange] {
    var places: [Int: Int] = [:]
    for (place, child) in old.childrenInSavedOrder(of: oldIndex).enumerated() { places[child.index] = place }
    var common: [(identifier: String, old: Int, new: Int)] = []
    for (place, child) in new.childrenInSavedOrder(of: newIndex).enumerated() {
      guard let partner = partner(ofNew: child.index), let old = places[partner] else { continue }
      common.append((child.identifier, old, place))
    }
    let olds = common.map(\.old)
    guard zip(olds, olds.dropFirst()).contains(where: { $0 > $1 }) else { return [] }
    let kept = Set(LongestRun.indexes(of: olds))
    return common.enumerated().filter { !kept.contains($0.offset) }.map { _, child in
      OrderChange(identifier: child.identifier, oldPlace: child.old + 1, newPlace: child.new + 1)
    }
  }

  /// Returns the broken references of a node of the new archive that lead to a node in the old one.
  func brokenReferences(of index: Int) -> [ArchiveReader.BrokenTarget] {
    guard let contents = try? new.contents(of: index) else { return [] }
    return new.archive.brokenReferences(in: contents).filter { broken in
      guard let index = try? old.archive.records.index(of: broken.target) else { return false }
      return old.contains(index)
    }
  }
}
