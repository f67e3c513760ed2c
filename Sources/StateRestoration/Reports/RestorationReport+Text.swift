import RestorationArchive

extension RestorationReport: CustomStringConvertible {
  /// A one-line count of the restored nodes and of the reasons for the others; failed application state is counted as a
  /// node.
  public var summary: String {
    if let refusal { return "restored nothing (\(decision.rawValue)): \(refusal)" }
    let hasFailed = application.isFailure || application == .quarantined
    let count = nodes.count + (hasFailed ? 1 : 0)
    let failures = nodes.filter { !$0.outcome.isSuccess }
    let failureCount = failures.count + (hasFailed ? 1 : 0)
    if count == 0, application.isSuccess { return "restored the application state" }
    if failureCount == 0 { return "restored \(count) of \(count)" }
    var reasons: [(name: String, count: Int)] = []
    for node in failures {
      if let index = reasons.firstIndex(where: { $0.name == node.outcome.words }) {
        reasons[index].count += 1
      } else {
        reasons.append((node.outcome.words, 1))
      }
    }
    let list = (reasons.map { "\($0.count) \($0.name)" } + (hasFailed ? ["the application state"] : [])).joined(separator: ", ")
    let keptCount = failures.count(where: \.isCarriedOver) + (isApplicationKept ? 1 : 0)
    let kept =
      switch keptCount {
      case 0: ""
      case failureCount: failureCount == 1 ? "; its state is kept" : "; their state is kept"
      default: "; the state of \(keptCount) is kept"
      }
    return "restored \(count - failureCount) of \(count); \(failureCount) not: \(list)\(kept)"
  }

  /// The summary, then one line for each node that was not restored and for each note, then the lines missing from the
  /// resolver.
  public var description: String {
    var lines = [summary]
    if application.isFailure || application == .quarantined { lines.append("(application): \(why(.application))") }
    if refusal == nil {
      for node in nodes where !node.outcome.isSuccess { lines.append("\(node.path.textForDisplay): \(node.sentence(refusal: nil))") }
    }
    for note in notes { lines.append(note.description) }
    let missing = resolverLines
    if !missing.isEmpty {
      lines.append("to restore them, add to the resolver:")
      lines += missing.map { "  \($0)" }
    }
    return lines.joined(separator: "\n")
  }

  /// A line about the saved state that nothing took in by mistake, and that is kept; nil if there is none.
  var keptLine: String? {
    guard nodeList.hasKeptStates else { return nil }
    let kept = nodes.filter { $0.isCarriedOver && $0.outcome.isMistake }
    var reasons = kept.prefix(3).map { "\($0.path.textForDisplay): \($0.sentence(refusal: nil))" }
    if kept.count > 3 { reasons.append("and \(kept.count - 3) more") }
    if isApplicationKept { reasons.insert("the application state: \(why(.application))", at: 0) }
    return "saved state was not taken in, and is kept: \(reasons.joined(separator: "; "))"
  }

  /// The source lines that add the missing factories to the resolver.
  package var resolverLines: [String] {
    ResolverLine.lines(nodes.filter { $0.outcome == .skipped(.noFactory) })
  }

  static func sentence(_ outcome: RestorationOutcome, rule: ResolutionRule?, error: String?) -> String {
    let by = rule.map { " by \($0)" } ?? ""
    let because = error.map { ": \($0)" } ?? ""
    switch outcome {
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
    case .skipped(.closed): return "skipped: the object above it, or at its path, was closed; its state is discarded"
    case .skipped(.refused): return "skipped: the archive was refused\(because)"
    case .skipped(.expired): return "skipped: it was carried over for too long"
    case .skipped(.ancestor): return "skipped: a node above it was not restored"
    case .skipped(.superseded): return "skipped: its alias leads to a path that has a node of its own"
    case .later: return "waiting\(by): it is restored when an object registers for its path"
    case .failed: return "failed\(rule == .liveObject ? "" : by)\(because)"
    case .quarantined:
      return "left out: restoring it, or a node above it, ended the process before\(error.map { "; \($0)" } ?? "")"
    case .placeholder: return "is an empty placeholder for its descendants"
    }
  }
}

extension RestorationReport.NodeResult {
  package func sentence(refusal: String?) -> String {
    var sentence = RestorationReport.sentence(outcome, rule: rule, error: error ?? refusal)
    if let upgrade { sentence += " after upgrade \(upgrade.lowerBound) -> \(upgrade.upperBound)" }
    if let archivedPath { sentence += ", saved as \(archivedPath.textForDisplay)" }
    if outcome == .notAdopted { sentence += ", but not adopted: \(error ?? "its object is in no object's restorationChildren")" }
    if isKept {
      sentence += "; its state is kept until the object at its path changes"
    } else if isCarriedOver {
      sentence += "; its state is carried over"
    }
    if outcome == .skipped(.noFactory) {
      sentence += "; add \(ResolverLine.line(path, type, provider: provider)), or call restoreState(of:) with an object that is made later"
    }
    return sentence
  }
}

extension RestorationOutcome {
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
}
