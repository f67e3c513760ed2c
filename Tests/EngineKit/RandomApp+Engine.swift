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
    _ behaviour: Behaviour, _ node: FactoryRequest, _ application: RestorableApplication, _ log: CallLog
  ) throws -> FactoryAnswer {
    log.note("make \(PlainText.text(node.path))")
    switch behaviour {
    case .decline: return .declined
    case .later: return .later
    case .fail: throw Refusal()
    case .make, .makeOther, .makeWithChild, .makeUnadopted: break
    }
    let type = behaviour == .makeOther ? (node.type == "List" ? "Editor" : "List") : node.type
    let object = object(type: type, identifier: node.identifier, log: log)
    if behaviour == .makeWithChild { object.children = [Self.object(type: nil, identifier: "b", log: log)] }
    if behaviour != .makeUnadopted {
      if let parent = node.parent as? SampleObject { parent.children.append(object) } else { application.roots.append(object) }
    }
    return .object(object)
  }

  /// The resolver of the registrations; throws for those that contradict each other.
  public func resolver(for application: RestorableApplication, log: CallLog) throws -> Resolver {
    try Resolver {
      for registration in registrations {
        switch registration {
        case .path(let text, let behaviour, let reuses):
          Factory(path: text, reusesLiveObject: reuses) { [unowned application] in try Self.answer(behaviour, $0, application, log) }
        case .type(let tag, let behaviour, let reuses):
          Factory(type: tag, reusesLiveObject: reuses) { [unowned application] in try Self.answer(behaviour, $0, application, log) }
        case .provider(let name, let behaviour):
          Factory(provider: name) { [unowned application] node in
            if case .object(let object) = try Self.answer(behaviour, node, application, log) { object } else { nil }
          }
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
      case "x": throw Refusal()
      default: nil
      }
    }
    return delegate
  }

  /// Restores with the engine, and saves again; nil if the registrations contradict each other.
  public func runEngine() throws -> EngineOutcome? {
    let log = CallLog()
    let application = RestorableApplication(roots: Self.objects(live, log))
    guard let resolver = try? resolver(for: application, log: log) else { return nil }
    let delegate = hasDelegate ? makeDelegate(log) : nil
    application.delegate = delegate
    var options = RestorationOptions(launch: RestorationLaunch(reason: reason), quarantined: quarantined)
    options.carryLimits = CarryLimits(sessions: sessionLimit, age: nil)
    var outcome = EngineOutcome()
    let report = try application.restore(from: ArchiveReader(tree.encoded()), with: resolver, options: options)
    outcome.nodes = report.nodes.map { "\(PlainText.text($0.path)) \($0.outcome.name)\($0.isCarriedOver ? " carried" : "")" }
    outcome.calls = log.lines
    let saved = try application.saved(options: PreservationOptions(carryLimits: CarryLimits(sessions: sessionLimit, age: nil)))
    outcome.saved = Self.lines(try ArchiveTree(decoding: saved).nodes, .application).sorted()
    withExtendedLifetime(delegate) {}
    return outcome
  }

  private static func lines(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [String] {
    nodes.flatMap { node -> [String] in
      let path = parent.appending(node.identifier)
      let values = node.state.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
      let type = node.type.map { "\($0).\(node.schemaVersion)" } ?? "-"
      let origin = node.origin.map { " from \($0.bundleVersion ?? "-").\($0.sessionsCarried)" } ?? ""
      return ["\(PlainText.text(path)) \(type) \(values)\(node.attributes.isEmpty ? "" : " place")\(origin)"] + lines(node.children, path)
    }
  }

  private static func text(_ value: ArchiveValue) -> String {
    if case .integer(let value) = value { value.description } else { value.typeName }
  }
}
