public import StateRestoration

extension RandomApp {
  struct Refusal: Error {}

  static func object(type: String?, identifier: String?, log: CallLog) -> SampleObject {
    let object: SampleObject =
      switch type {
      case "Editor": Editor(identifier, log: log)
      case "List": List(identifier, log: log)
      case "Archivist": Archivist(identifier, log: log)
      default: SampleObject(identifier, log: log)
      }
    if identifier == "f" {
      object.decoding = { _ in throw Refusal() }
    }
    if identifier == "g" { object.encoding = { _ in throw Refusal() } }
    if identifier == "s" { object.restorationReasons = [.restore] }
    return object
  }

  private static func objects(_ live: [Live], _ log: CallLog) -> [SampleObject] {
    live.map { spec in
      let object = object(type: spec.type, identifier: spec.identifier, log: log)
      object.values = spec.values
      object.children = objects(spec.children, log)
      return object
    }
  }

  private static func answer(
    _ behaviour: Behaviour, _ node: FactoryRequest, _ application: RestorableTree, _ log: CallLog
  ) throws -> FactoryResult {
    log.note("make \(PlainText.text(node.path))")
    switch behaviour {
    case .decline: return .declined
    case .later: return .later
    case .gone: return .gone
    case .fail: throw Refusal()
    case .make, .makeOther, .makeWithChild, .makeUnadopted: break
    }
    let type = behaviour == .makeOther ? (node.type == "List" ? "Editor" : "List") : node.type
    let object = object(type: type, identifier: node.identifier, log: log)
    if behaviour == .makeWithChild || behaviour == .makeUnadopted { object.children = [Self.object(type: nil, identifier: "b", log: log)] }
    if behaviour != .makeUnadopted {
      if let parent = node.parent as? SampleObject { parent.children.append(object) } else { application.roots.append(object) }
    }
    return .object(object)
  }

  /// Returns a resolver for the registrations; throws if they conflict.
  public func resolver(for application: RestorableTree, log: CallLog) throws -> Resolver {
    // What is registered for a type that an alias renames could never run, which is a mistake.
    let renamed = registrations.compactMap { if case .typeAlias(let old, _) = $0 { old } else { nil } }
    return try Resolver {
      for registration in registrations where !renamed.contains(registration.type ?? "") {
        switch registration {
        case .path(let text, let behaviour, let reuses):
          Factory(path: text, reusesLiveObject: reuses) { [unowned application] in try Self.answer(behaviour, $0, application, log) }
        case .type(let tag, let behaviour, let reuses):
          Factory(type: tag, reusesLiveObject: reuses) { [unowned application] in try Self.answer(behaviour, $0, application, log) }
        case .provider(let name, let behaviour):
          Factory(provider: name, deciding: { [unowned application] in try Self.answer(behaviour, $0, application, log) })
        case .tombstone(let text): Tombstone(text)
        case .alias(let old, let new): Alias(old, to: new)
        case .typeAlias(let old, let new): Alias(type: old, to: new)
        case .rename(let type, let from, let to): Upgrade(type: type, from: from, to: to) { $0.rename("v", to: "w") }
        case .move(let type, let child, let from, let to): Upgrade(type: type, from: from, to: to) { $0.move("w", toChild: child, as: "v") }
        case .failUpgrade(let type, let from, let to): Upgrade(type: type, from: from, to: to) { _ in throw Refusal() }
        }
      }
    }
  }

  private func makeDelegate(_ log: CallLog) -> SampleDelegate {
    let delegate = SampleDelegate(log: log)
    delegate.restoring = { _, _ in decision }
    delegate.making = { node in
      switch node.identifier {
      case "d": .object(Self.object(type: node.type, identifier: "d", log: log))
      case "l": .later
      case "n": .declined
      case "o": .gone
      case "x": throw Refusal()
      default: nil
      }
    }
    return delegate
  }

  /// Returns the outcome that the rules require of the engine.
  public func runModel() -> EngineOutcome { ModelEngine.run(self) }

  /// Restores with the engine, and saves again; nil if the registrations conflict.
  public func runEngine() throws -> EngineOutcome? {
    let log = CallLog()
    let application = RestorableTree(roots: Self.objects(live, log))
    guard let resolver = try? resolver(for: application, log: log) else { return nil }
    let delegate = hasDelegate ? makeDelegate(log) : nil
    application.delegate = delegate
    var options = RestorationOptions(launch: LaunchContext(reason: reason), quarantined: quarantined)
    options.carryLimits = CarryLimits(sessions: sessionLimit, age: nil)
    var outcome = EngineOutcome()
    let report = try application.restore(from: ArchiveReader(tree.encoded()), with: resolver, options: options)
    outcome.nodes = Self.lines(report)
    outcome.calls = log.lines
    outcome.discarded = discarded.map { application.discardState(at: $0) }
    let saveOptions = PreservationOptions(carryLimits: CarryLimits(sessions: sessionLimit, age: nil))
    Self.make(changes[0], in: application)
    outcome.saved = try Self.lines(application.saved(options: saveOptions))
    Self.make(changes[1], in: application)
    outcome.savedAgain = try Self.lines(application.saved(options: saveOptions))
    outcome.nodesAgain = application.report.map { Self.lines($0) } ?? []
    withExtendedLifetime(delegate) {}
    return outcome
  }

  private static func lines(_ report: RestorationReport) -> [String] {
    report.nodes.map { "\(PlainText.text($0.path)) \($0.outcome.name)\($0.isCarriedOver ? " carried" : "")" }
  }

  private static func lines(_ archive: ArchiveReader) throws -> [String] {
    let nodes = try ArchiveTree(decoding: archive).nodes
    return (lines(nodes, .application) + orders(nodes, .application)).sorted()
  }

  private static func orders(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [String] {
    let order =
      nodes.count < 2 ? [] : ["order \(PlainText.text(parent)): \(nodes.map { PlainText.text($0.identifier) }.joined(separator: " "))"]
    return order + nodes.flatMap { orders($0.children, parent.appending($0.identifier)) }
  }

  private static func make(_ changes: [Change], in application: RestorableTree) {
    for change in changes {
      var all: [(object: SampleObject, parent: SampleObject?)] = []
      func visit(_ objects: [any Restorable], _ parent: SampleObject?) {
        for case let object as SampleObject in objects {
          all.append((object, parent))
          visit(object.children, object)
        }
      }
      visit(application.roots, nil)
      switch change {
      case .close(let number) where number < all.count:
        let (object, parent) = all[number]
        if let parent { parent.children.removeAll { $0 === object } } else { application.roots.removeAll { $0 === object } }
      case .close: break
      case .open(let identifier, let number):
        let object = object(type: nil, identifier: identifier, log: CallLog())
        object.values = ["v": 7]
        if number < all.count { all[number].object.children.append(object) } else { application.roots.append(object) }
      case .reverse(let number):
        if number < all.count { all[number].object.children.reverse() } else { application.roots.reverse() }
      }
    }
  }

  private static func lines(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [String] {
    nodes.flatMap { node -> [String] in
      let path = parent.appending(node.identifier)
      let values = node.state.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
      let type = node.type.map { "\($0).\(node.schemaVersion)" } ?? "-"
      let origin = node.origin.map { " from \($0.bundleVersion ?? "-").\($0.sessionsCarried)" } ?? ""
      return [
        "\(PlainText.text(path)) \(type) \(values)\(node.attributes["restoration.placeholder"] == .bool(true) ? " place" : "")\(origin)"
      ] + lines(node.children, path)
    }
  }

  private static func text(_ value: ArchiveValue) -> String {
    if case .integer(let value) = value { value.description } else { value.typeName }
  }
}

extension RandomApp.Registration {
  /// The type that a factory or upgrade is for.
  fileprivate var type: String? {
    switch self {
    case .type(let tag, _, _), .rename(let tag, _, _), .move(let tag, _, _, _), .failUpgrade(let tag, _, _): tag
    case .path, .provider, .tombstone, .alias, .typeAlias: nil
    }
  }
}
