import RestorationArchive

/// What happened to a node during restoration: restored, skipped, failed, and so on.
public enum RestorationOutcome: Sendable, Hashable {
  /// The reason why a node was skipped.
  public enum Skip: String, Sendable, CaseIterable {
    /// The factory declined it.
    case declined
    /// No rule provides an object for it.
    case noFactory = "no-factory"
    /// A tombstone marks it as intentionally removed.
    case tombstone
    /// Its subject no longer exists, as reported by its factory, the delegate or
    /// ``RestorableTree/discardState(at:)``.
    case gone
    /// The object at its path or above it has been closed.
    case closed
    /// The entire archive was refused.
    case refused
    /// It exceeded the limits for carrying over.
    case expired
    /// Its parent node was not restored.
    case ancestor
    /// Its alias maps to a path that has its own node.
    case superseded
  }

  /// The reason why an object was not decoded.
  public enum Refusal: String, Sendable, CaseIterable {
    /// The object's type differs from the saved type.
    case otherType = "other-type"
    /// The object does not restore its state at launches for this reason.
    case reason
  }

  /// An object was created, and decoded its state.
  case restored
  /// An existing object decoded its state.
  case located
  /// An object decoded its state, but no live object has it as a child: it will not be saved, and its state is kept.
  case notAdopted
  /// An object exists, but its state was not decoded.
  case notDecoded(Refusal)
  /// An object decoded its state, but no upgrade leads from the saved schema version to the one of its class.
  case notUpgraded
  /// No object was created.
  case skipped(Skip)
  /// The node is deferred until an object is registered for its path.
  case later
  /// The factory, an upgrade or decoding failed.
  case failed
  /// The node was skipped because restoring it crashed the app.
  case quarantined
  /// The node is empty, and exists only for its descendants.
  case placeholder

  /// Whether the state was restored, or there was none to restore.
  public var isSuccess: Bool {
    switch self {
    case .restored, .located, .placeholder: true
    case .notAdopted, .notDecoded, .notUpgraded, .skipped, .later, .failed, .quarantined: false
    }
  }

  /// Whether an object exists that did not take its state in, which is nobody's decision but a mistake.
  var isFailure: Bool {
    switch self {
    case .failed, .notAdopted, .notUpgraded, .notDecoded(.otherType): true
    default: false
    }
  }

  /// Whether the state was not taken in, which is nobody's decision but a mistake.
  var isMistake: Bool { isFailure || self == .skipped(.noFactory) }

  /// The name in JSON reports.
  public var name: String {
    switch self {
    case .restored: "restored"
    case .located: "located"
    case .notAdopted: "not-adopted"
    case .notDecoded(let refusal): "not-decoded-\(refusal.rawValue)"
    case .notUpgraded: "not-upgraded"
    case .skipped(let skip): "skipped-\(skip.rawValue)"
    case .later: "later"
    case .failed: "failed"
    case .quarantined: "quarantined"
    case .placeholder: "placeholder"
    }
  }

  // MARK: Text

  /// A short phrase for counting.
  var words: String {
    switch self {
    case .restored: "restored"
    case .located: "found"
    case .notDecoded(.otherType): "of another type"
    case .notDecoded(.reason): "not wanted at this launch"
    case .notUpgraded: "without an upgrade"
    case .skipped(.declined): "declined"
    case .skipped(.noFactory): "without a factory"
    case .notAdopted: "not adopted"
    case .skipped(.gone): "gone"
    case .skipped(.closed): "closed"
    case .skipped(.tombstone): "with a tombstone"
    case .skipped(.refused): "refused"
    case .skipped(.expired): "expired"
    case .skipped(.ancestor): "below one that was not restored"
    case .skipped(.superseded): "superseded"
    case .later: "waiting"
    case .failed: "failed"
    case .quarantined: "quarantined"
    case .placeholder: "empty"
    }
  }

  /// The outcome and its reason, in one sentence.
  func sentence(rule: ResolutionRule?, error: String?) -> String {
    let by = rule.map { " by \($0)" } ?? ""
    let because = error.map { ": \($0)" } ?? ""
    switch self {
    case .restored: return "restored\(by)"
    case .located: return "found\(by == "" ? "" : rule == .liveObject ? " as an existing object" : by) and restored"
    case .notDecoded(.otherType):
      return "found\(by), but not decoded: the object is of another type than the saved one\(error.map { "; \($0)" } ?? "")"
    case .notDecoded(.reason): return "found\(by), but not decoded: the object does not want its state at this launch"
    case .notUpgraded:
      return "\(rule == .liveObject ? "found as an existing object and restored," : "restored\(by)") without an upgrade\(because)"
    case .skipped(.declined): return "skipped: declined\(by)"
    case .skipped(.noFactory): return "skipped: no factory, no object and no provider for it"
    case .notAdopted: return "restored\(by)"
    case .skipped(.tombstone): return "skipped: it, or a node above it, has a tombstone"
    case .skipped(.gone): return "skipped: it, or a node above it, is gone for good\(by); its state is discarded"
    case .skipped(.closed):
      return "skipped: the object above it, or at its path, was closed\(because.isEmpty ? "; its state is discarded" : because)"
    case .skipped(.refused): return "skipped: the archive was refused\(because)"
    case .skipped(.expired): return "skipped: it was carried over for too long"
    case .skipped(.ancestor): return "skipped: a node above it was not restored"
    case .skipped(.superseded): return "skipped: by an alias, another node has its path, and is restored there"
    case .later: return "waiting\(by): it is restored when an object registers for its path"
    case .failed: return "failed\(rule == .liveObject ? "" : by)\(because)"
    case .quarantined:
      return "left out: restoring it, or a node above it, ended the process before\(error.map { "; \($0)" } ?? "")"
    case .placeholder: return "is an empty placeholder for its descendants"
    }
  }
}

extension RestorationReport.NodeResult {
  /// What happened to the node and why, in one sentence; `refusal` is why the whole archive was refused.
  package func sentence(refusal: String?) -> String {
    // An older build cannot know what a newer one has renamed.
    var sentence = sentence(newerBuild == nil ? error ?? refusal : nil)
    if outcome == .notAdopted { sentence += ", but not adopted: \(error ?? Self.unadopted)" }
    if isKept {
      sentence += "; its state is kept until the object at its path changes"
    } else if isCarriedOver {
      sentence += "; its state is carried over"
    }
    if let newerBuild {
      sentence += "; it was saved by the newer build \(newerBuild.escapedForDisplay), which may know it"
    } else if outcome == .skipped(.noFactory) {
      sentence += "; \(remedy), or give the state to an object that is made later: register(_:at:), or restoreState(of:)"
    }
    return sentence
  }

  /// The path and, in one sentence, the outcome that was predicted without creating an object (``ArchiveResolution``).
  package var prediction: String {
    "\(path.textForDisplay): \(sentence(error))" + (outcome == .skipped(.noFactory) ? "; add \(line)" : "")
  }

  /// The outcome, how the node was upgraded and where it was saved.
  private func sentence(_ error: String?) -> String {
    let after = upgrade.map { " after upgrade \($0.lowerBound) -> \($0.upperBound)" } ?? ""
    return outcome.sentence(rule: rule, error: error) + after + (archivedPath.map { ", saved as \($0.textForDisplay)" } ?? "")
  }

  private static let unadopted =
    "its object is in no object's restorationChildren; its parent takes it from restoredChildren() while it decodes, or keeps "
    + "what its factory makes"

  /// What to add to the resolver: a factory, or an alias if the type is only called differently now.
  private var remedy: String {
    let renamed = type.map { ", or Alias(type: \(Self.literal($0)), to: …) if its type was renamed" } ?? ""
    return "add \(line)" + (provider == nil ? renamed : "")
  }

  /// The source line that adds a factory for the node to the resolver.
  package var line: String {
    if let provider { return "Factory(provider: \(Self.literal(provider))) { node in … }" }
    if let type { return "Factory(type: \(Self.literal(type))) { node in … }" }
    // The pattern that matches only this path.
    let pattern = path.components.map(PathEscapes.pattern.escape).joined(separator: "/")
    return "Factory(path: \(Self.literal(pattern))) { node in … }"
  }

  private static func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { literal.unicodeScalars.append("\\") }
      literal.unicodeScalars.append(scalar)
    }
    // Escaping for display uses the syntax of Swift source.
    return literal.quotedForDisplay
  }
}
