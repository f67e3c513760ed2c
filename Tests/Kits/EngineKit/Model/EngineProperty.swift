import PropertyKit
import Foundation
import StateRestoration

/// The engine's property, for any archive, registrations and app behavior.
///
/// The engine does not trap, its report is complete, and its next save is a valid archive.
public enum EngineProperty {
  /// An error of the engine.
  public struct Violation: Error, CustomStringConvertible {
    /// The description of the error.
    public let description: String
  }

  private struct Refusal: Error {}

  /// Checks the property for an input: an intact or damaged archive, or bytes from which one is generated.
  ///
  /// `choices` determine the registrations and the behavior of the app; by default the input itself does.
  public static func check(_ bytes: [UInt8], choices: [UInt8]? = nil) throws {
    try check(bytes, choices: choices, tally: nil)
  }

  /// Checks the property for an input, and counts the outcomes.
  public static func tally(of bytes: [UInt8]) throws -> EngineTally {
    let tally = EngineTally()
    try check(bytes, choices: nil, tally: tally)
    return tally
  }

  private static func check(_ bytes: [UInt8], choices: [UInt8]?, tally: EngineTally?) throws {
    var stream = ByteStream(choices ?? bytes)
    guard let (archive, kind) = archive(bytes, &stream) else { return }
    tally?.note(kind)
    let log = CallLog()
    let (paths, isListed) = readablePaths(of: archive)
    let application = RestorableTree(roots: objects(&stream, paths, log))
    guard let resolver = try? resolver(&stream, archive, paths, application, log) else {
      tally?.note("registrations refused")
      return
    }
    let delegate = SampleDelegate(log: log)
    application.delegate = delegate
    let choice = stream.below(16)
    delegate.restoring = { _, _ in choice == 0 ? .notNow : choice == 1 ? .never : .restore }
    delegate.making = { node in node.identifier.utf8.count % 5 == 0 ? .object(SampleObject(node.identifier, log: log)) : nil }
    delegate.encoding = { if choice == 2 { throw Refusal() } else { try $0.encode(1, forKey: "x") } }
    delegate.decoding = { coder in
      if choice == 3 { throw Refusal() }
      _ = try coder.restoredChildren(of: SampleObject.self)
    }
    var options = RestorationOptions(launch: LaunchContext(reason: stream.pick(RestorationReason.allCases) ?? .launch))
    if stream.oneIn(3), let path = stream.pick(paths) { options.quarantined = [path] }
    if stream.oneIn(3) { options.carryLimits = CarryLimits(sessions: stream.below(4), age: .seconds(10), byteCount: stream.below(1000)) }
    options.tracesDecisions = stream.oneIn(2)
    let report = try application.restore(from: archive, with: resolver, options: options)
    try check(report, paths, isListed: isListed)
    tally?.note(report)
    try checkSave(application, options, tally)
    // An object may be closed, or state may be discarded as gone.
    if stream.oneIn(2), !application.roots.isEmpty { application.roots.remove(at: stream.below(application.roots.count)) }
    if stream.oneIn(3), let path = stream.pick(paths), application.discardState(at: path) { tally?.note("discarded") }
    // Pending state may be claimed later.
    for _ in 0..<stream.below(4) {
      guard let path = stream.pick(paths) else { break }
      let answer = application.register(SampleObject(path.identifier, log: log), at: path)
      tally?.note("registered late \(answer.rawValue)")
    }
    let last = application.report ?? report
    try check(last, paths, isListed: isListed)
    try checkText(of: last, paths)
    try checkSave(application, options, tally)
    _ = ArchiveResolution(of: archive, with: resolver).nodes.map(\.prediction)
    withExtendedLifetime(delegate) {}
  }

  // MARK: Requirements

  private static func check(_ report: RestorationReport, _ paths: [RestorationPath], isListed: Bool) throws {
    let reported = report.nodes.filter { !$0.isAdded }.map { $0.archivedPath ?? $0.path }
    let isCut = report.notes.contains { $0.message.contains("not met yet") }
    // In an invalid archive, a path may occur twice.
    let isFull =
      switch (isListed, isCut) {
      case (true, true): Set(reported).isSubset(of: paths)
      case (true, false): reported.count == paths.count && Set(reported) == Set(paths)
      case (false, true): true
      case (false, false): Set(paths).isSubset(of: reported)
      }
    guard isFull else {
      throw Violation(description: "the report has \(reported.count) of \(paths.count) nodes")
    }
  }

  /// Checks the texts of the last report, which covers everything that happened.
  private static func checkText(of report: RestorationReport, _ paths: [RestorationPath]) throws {
    for path in paths.prefix(50) where report.why(path).isEmpty { throw Violation(description: "no reason for \(path)") }
    guard report.description.hasPrefix(report.summary), report.json().hasPrefix("{") else { throw Violation(description: "no text") }
  }

  private static func checkSave(_ application: RestorableTree, _ options: RestorationOptions, _ tally: EngineTally?) throws {
    let preservation = try application.preserve(
      header: .at(build: "8", seconds: 200), options: PreservationOptions(carryLimits: options.carryLimits))
    tally?.note(preservation.report)
    guard let data = try preservation.archive else { throw Violation(description: "nothing saved") }
    let check = ArchiveCheck(data)
    guard check.isValid else { throw Violation(description: "an invalid archive was saved: \(check.findings.first?.description ?? "")") }
    guard preservation.report.entries().count == preservation.report.nodeCount else { throw Violation(description: "entries are missing") }
    try checkCarried(application, preservation.report)
  }

  /// Checks that each node reported as carried over is in the archive or in a finding.
  ///
  /// What waits below an object that has moved since is in the archive below the object, and in the report where it was.
  private static func checkCarried(_ application: RestorableTree, _ preservation: PreservationReport) throws {
    let nodes = application.report?.nodes ?? []
    let told = Set(preservation.entries().map(\.path)).union(preservation.notes.compactMap(\.path))
    let reported = Set(nodes.map(\.path))
    var moved = preservation.entries().filter { $0.isCarriedOver && !reported.contains($0.path) }.map(\.path.identifier)
    // What an upgrade has made is carried with the node that it comes from.
    for node in nodes where node.isCarriedOver && !node.isAdded && !told.contains(node.path) {
      guard let place = moved.firstIndex(of: node.path.identifier) else {
        throw Violation(description: "\(node.path) is neither carried over nor in a finding")
      }
      moved.remove(at: place)
    }
  }

  // MARK: Generating from bytes

  private static func archive(_ bytes: [UInt8], _ stream: inout ByteStream) -> (ArchiveReader, kind: String)? {
    // The input is an archive, intact or damaged.
    if let archive = try? ArchiveReader(bytes) { return (archive, "an archive") }
    let kind = stream.below(4)
    if kind == 0 {
      var generator = TreeGenerator(seed: stream.number())
      let data = try? generator.tree(nodeCount: 1 + stream.below(40)).encoded()
      return data.flatMap { try? ArchiveReader($0) }.map { ($0, "an archive of anything") }
    }
    guard var bytes = (try? RandomApp(seed: stream.number()).tree.encoded()).map({ [UInt8]($0) }) else { return nil }
    if kind == 1 { return (try? ArchiveReader(bytes)).map { ($0, "an archive of an app") } }
    // A damaged archive: some bytes are flipped.
    for _ in 0..<(1 + stream.below(4)) { bytes[stream.below(bytes.count)] ^= UInt8(1 + stream.below(255)) }
    if kind == 2 { return (try? ArchiveReader(bytes)).map { ($0, "a damaged archive") } }
    return ArchiveSalvage(bytes).archive.flatMap { try? ArchiveReader($0) }.map { ($0, "a salvaged archive") }
  }

  private static func providerNames(of archive: ArchiveReader, _ paths: [RestorationPath]) -> [String] {
    paths.compactMap { path in (try? archive.node(at: path)?.provider())?.name }
  }

  /// Returns the paths found by a walk over single nodes, and whether they are complete.
  ///
  /// In an invalid archive, several nodes may have the same children. Such a walk then stops earlier than the engine,
  /// whose limit is a few times the number of nodes.
  private static func readablePaths(of archive: ArchiveReader) -> (paths: [RestorationPath], isListed: Bool) {
    var paths: [RestorationPath] = []
    var isListed = true
    var stack = [try? archive.application()].compactMap { $0 }
    while let node = stack.popLast() {
      if !node.path.isEmpty { paths.append(node.path) }
      node.visitChildren { result in
        switch result {
        case .success(let child): stack.append(child)
        case .failure(let error):
          if error.code.rawValue == "child-range", error.expected == "children of no other node" { isListed = false }
        }
      }
    }
    return (paths, isListed)
  }

  private static func objects(_ stream: inout ByteStream, _ paths: [RestorationPath], _ log: CallLog) -> [any Restorable] {
    var roots: [SampleObject] = []
    var all: [SampleObject] = []
    for _ in 0..<stream.below(12) {
      let path = stream.pick(paths)
      let object = object(&stream, stream.oneIn(8) ? nil : stream.oneIn(4) ? stream.text() : path?.identifier, log)
      if let parent = stream.pick(all), stream.oneIn(2) { parent.children.append(object) } else { roots.append(object) }
      // Some objects are in two places.
      if let other = stream.pick(all), stream.oneIn(8) { other.children.append(object) }
      // Some refer to others, including objects that are in no place.
      if let other = stream.pick(all), stream.oneIn(3) {
        object.encoding = { [weak other] in try $0.encode(reference: other, forKey: "other") }
      }
      if let other = stream.pick(all), stream.oneIn(6) { object.parent = other }
      all.append(object)
    }
    return roots
  }

  private static func object(_ stream: inout ByteStream, _ identifier: String?, _ log: CallLog) -> SampleObject {
    let object: SampleObject =
      switch stream.below(4) {
      case 0: Editor(identifier, log: log)
      case 1: List(identifier, log: log)
      case 2: Archivist(identifier, log: log)
      default: SampleObject(identifier, log: log)
      }
    object.values = ["v": stream.below(10)]
    switch stream.below(6) {
    case 0: object.decoding = { _ in throw Refusal() }
    case 1: object.encoding = { _ in throw Refusal() }
    case 2: object.decoding = { coder in _ = try coder.allKeys.map { try coder.decodeReference(forKey: $0, as: SampleObject.self) } }
    // It does not know the last key.
    case 3: object.decoding = { coder in _ = try coder.allKeys.sorted().dropLast().map { try coder.value(forKey: $0) } }
    default: break
    }
    if stream.oneIn(8) { object.restorationReasons = [.restore] }
    return object
  }

  private static func resolver(
    _ stream: inout ByteStream, _ archive: ArchiveReader, _ paths: [RestorationPath], _ application: RestorableTree, _ log: CallLog
  ) throws -> Resolver {
    let types = ["Editor", "List", "Archivist", "Old", "com.example.kind", "a"]
    func text(_ stream: inout ByteStream) -> String {
      if stream.oneIn(6) { return stream.text() }
      var components = (stream.pick(paths) ?? "a").components.map { identifier in
        RestorationPath.description(of: identifier)
      }
      if stream.oneIn(3) { components[stream.below(components.count)] = "*" }
      if stream.oneIn(4) { components = Array(components.prefix(stream.below(components.count + 1))) + ["**"] }
      return components.joined(separator: "/")
    }
    // What is registered for a type that an alias renames is a mistake; too many registrations would have it.
    var (renamed, used): (Set<String>, Set<String>) = ([], [])
    func mayUse(_ type: String) -> Bool {
      used.insert(type)
      return !renamed.contains(type)
    }
    func mayRename(_ type: String) -> Bool {
      if used.contains(type) { return false }
      renamed.insert(type)
      return true
    }
    return try Resolver {
      for _ in 0..<stream.below(10) {
        let choice = stream.below(8)
        let seed = stream.number()
        let make: (FactoryRequest) throws -> FactoryResult = { [unowned application] node in
          var stream = ByteStream(bytes(of: seed))
          switch stream.below(8) {
          case 0: return .declined
          case 1: return .later
          case 2: throw Refusal()
          case 3: return .gone
          default:
            _ = try? node.decoder().allKeys
            let object = object(&stream, stream.oneIn(8) ? "other" : node.identifier, log)
            if stream.oneIn(2), let parent = node.parent as? SampleObject {
              parent.children.append(object)
            } else {
              application.roots.append(object)
            }
            return .object(object)
          }
        }
        switch choice {
        case 0, 1: Factory(path: text(&stream), reusesLiveObject: stream.oneIn(2), deciding: make)
        case 2:
          let type = stream.pick(types) ?? "a"
          if mayUse(type) { Factory(type: type, deciding: make) }
        case 3: Tombstone(text(&stream))
        case 4: Alias(text(&stream), to: text(&stream))
        case 5:
          let name = stream.pick(providerNames(of: archive, paths)) ?? "Main"
          Factory(provider: name) { SampleObject($0.identifier, log: log) }
        case 6:
          let (old, new) = (stream.pick(types) ?? "a", stream.pick(types) ?? "b")
          if mayRename(old) { Alias(type: old, to: new) }
        default:
          let from = stream.below(3)
          let type = stream.pick(types) ?? "a"
          let to = from + 1 + stream.below(2)
          if mayUse(type) {
            Upgrade(type: type, from: from, to: to) { state in
              if seed % 5 == 0 { throw Refusal() }
              for key in state.values.map(\.key) {
                switch key.utf8.count % 4 {
                case 0: state.rename(key, to: "renamed")
                case 1: state.move(key, toChild: "moved")
                case 2: state.set("", to: 1)
                default: state.remove(key)
                }
              }
            }
          }
        }
      }
    }
  }

  private static func bytes(of seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}

extension RestorationPath {
  /// Returns the text of an identifier within a pattern.
  fileprivate static func description(of identifier: String) -> String {
    String(
      decoding: identifier.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "~"): Array("~0".utf8)
        case UInt8(ascii: "/"): Array("~1".utf8)
        case UInt8(ascii: "*"): Array("~2".utf8)
        default: [byte]
        }
      }, as: UTF8.self)
  }
}
