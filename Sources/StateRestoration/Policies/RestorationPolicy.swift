#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import RestorationArchive

/// A rule about which archives are restored at all, by what they say in their header.
///
///     let policy = RestorationPolicy.bundleIdentifier("com.example.notes")
///       .and(.maximumAge(7 * 86_400).answering(.notNow))
///
/// A refused archive is set aside (``RestoreDecision/never``) unless the policy says otherwise.
public struct RestorationPolicy: Sendable {
  /// Why an archive is not restored.
  public struct Refusal: Sendable, Hashable {
    /// In words.
    public var reason: String
    /// What becomes of the archive.
    public var decision: RestoreDecision

    /// Makes a refusal.
    public init(_ reason: String, decision: RestoreDecision = .never) {
      self.reason = reason
      self.decision = decision
    }
  }

  private let evaluate: @Sendable (ArchiveHeader, RestorationLaunch) -> Refusal?

  /// Makes a policy; `evaluate` returns nil for an archive that may be restored.
  public init(_ evaluate: @escaping @Sendable (ArchiveHeader, RestorationLaunch) -> Refusal?) {
    self.evaluate = evaluate
  }

  /// Why an archive with this header is not restored at this launch; nil if it may be.
  public func refusal(of header: ArchiveHeader, at launch: RestorationLaunch) -> Refusal? {
    evaluate(header, launch)
  }

  // MARK: Rules

  /// Every archive may be restored.
  public static let always = RestorationPolicy { _, _ in nil }

  /// The archive is of this app.
  public static func bundleIdentifier(_ identifier: String) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      header.bundleIdentifier.map { $0.isSameText(as: identifier) } == true ? nil : Refusal("saved by another app")
    }
  }

  /// The archive is of one of these builds.
  public static func bundleVersions(_ versions: [String]) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      guard let saved = header.bundleVersion else { return Refusal("does not say which build saved it") }
      return versions.contains { $0.isSameText(as: saved) } ? nil : Refusal("saved by build \(saved.quotedForDisplay)")
    }
  }

  /// The archive was saved at most so many seconds ago, and not in the future by more than that.
  ///
  /// A save that changed nothing counts as one, if the launch knows of it (``RestorationLaunch/confirmedAt``). Without a timestamp, or where the launch does not say what time it is, the age is not known and nothing is refused.
  public static func maximumAge(_ seconds: Double) -> RestorationPolicy {
    RestorationPolicy { header, launch in
      guard let saved = (launch.confirmedAt ?? header.timestamp)?.timeIntervalSinceReferenceDate,
        let now = launch.now?.timeIntervalSinceReferenceDate
      else { return nil }
      // Written so that a timestamp that is no number is refused.
      return abs(now - saved) <= seconds ? nil : Refusal("saved too long ago")
    }
  }

  /// The archive was saved from one of these kinds of interface.
  public static func userInterfaceIdioms(_ idioms: Set<UserInterfaceIdiom>) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      guard let idiom = header.userInterfaceIdiom else { return nil }
      return idioms.contains(idiom) ? nil : Refusal("saved from another kind of interface")
    }
  }

  /// The launch is for one of these reasons; else the archive is offered again.
  public static func reasons(_ reasons: Set<RestorationReason>) -> RestorationPolicy {
    RestorationPolicy { _, launch in
      reasons.contains(launch.reason)
        ? nil : Refusal("not restored at a launch for the reason \(launch.reason.rawValue)", decision: .notNow)
    }
  }

  // MARK: Composing

  /// Both allow it.
  public func and(_ other: RestorationPolicy) -> RestorationPolicy {
    RestorationPolicy { header, launch in self.evaluate(header, launch) ?? other.evaluate(header, launch) }
  }

  /// One of them allows it; if none does, the reason of the first is given.
  public func or(_ other: RestorationPolicy) -> RestorationPolicy {
    RestorationPolicy { header, launch in
      guard let refusal = self.evaluate(header, launch) else { return nil }
      return other.evaluate(header, launch) == nil ? nil : refusal
    }
  }

  /// The same rule with another answer for what it refuses.
  public func answering(_ decision: RestoreDecision) -> RestorationPolicy {
    RestorationPolicy { header, launch in
      guard var refusal = self.evaluate(header, launch) else { return nil }
      refusal.decision = decision == .restore ? refusal.decision : decision
      return refusal
    }
  }
}
