public import FoundationValues
public import RestorationArchive

/// A rule that accepts or refuses an archive by its header.
///
///     let week = Duration.seconds(7 * 86_400)
///     let policy = RestorationPolicy.bundleIdentifier("org.example.notes").and(.maximumAge(week))
///
/// A refused archive is set aside (``RestoreDecision/never``) unless the policy says otherwise, as ``maximumAge(_:)`` and
/// ``reasons(_:)`` do.
public struct RestorationPolicy: Sendable {
  /// The refusal of an archive.
  package struct Refusal: Sendable, Hashable {
    /// The reason, in words.
    package var reason: String
    /// The decision about the archive.
    package var decision: RestoreDecision
    /// Whether the age of the archive is the reason, so that the offer it has become ends by age too.
    var isForAge = false
  }

  private let evaluate: @Sendable (ArchiveHeader, LaunchContext) -> Refusal?

  private init(evaluating evaluate: @escaping @Sendable (ArchiveHeader, LaunchContext) -> Refusal?) { self.evaluate = evaluate }

  /// Creates a policy; `reason` returns why an archive is refused, in words, and nil for an acceptable one.
  public init(_ reason: @escaping @Sendable (ArchiveHeader, LaunchContext) -> String?) {
    evaluate = { header, launch in reason(header, launch).map { Refusal(reason: $0, decision: .never) } }
  }

  /// Returns the refusal of an archive with this header at this launch; nil if it may be restored.
  package func refusal(of header: ArchiveHeader, at launch: LaunchContext) -> Refusal? {
    evaluate(header, launch)
  }

  // MARK: Rules

  /// Accepts every archive.
  public static let always = RestorationPolicy(evaluating: { _, _ in nil })

  /// Accepts only archives saved by the app with this bundle identifier.
  public static func bundleIdentifier(_ identifier: String) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      header.bundleIdentifier.map { $0.isSameText(as: identifier) } == true ? nil : "saved by another app"
    }
  }

  /// Accepts only archives of these builds.
  public static func bundleVersions(_ versions: [String]) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      guard let saved = header.bundleVersion else { return "does not say which build saved it" }
      return versions.contains { $0.isSameText(as: saved) } ? nil : "saved by build \(saved.quotedForDisplay)"
    }
  }

  /// Accepts archives that were saved at most `age` ago; a timestamp in the future is no age.
  ///
  /// The clock may be wrong once: an archive that is too old stays current (``RestoreDecision/notNow``), and becomes an
  /// offer if newer state is saved. A launch ends the offer if it was too old at the last save before, and still is
  /// (``AppLaunch/endedFiles``). With ``answering(_:)``, the archive is set aside at once, or offered until the offer is
  /// answered.
  ///
  /// A save without changes renews the age if the launch reports it (``LaunchContext/confirmedAt``). If the archive
  /// has no timestamp or the launch has no time, the age is unknown and the archive is accepted.
  public static func maximumAge(_ age: Duration) -> RestorationPolicy {
    RestorationPolicy(evaluating: { header, launch in
      guard let saved = (launch.confirmedAt ?? header.timestamp)?.timeIntervalSinceReferenceDate,
        let now = launch.now?.timeIntervalSinceReferenceDate
      else { return nil }
      // Written so that a NaN timestamp is refused.
      return now - saved <= age / .seconds(1) ? nil : Refusal(reason: "saved too long ago", decision: .notNow, isForAge: true)
    })
  }

  /// Accepts only archives saved from one of these interface idioms, or without an idiom.
  public static func userInterfaceIdioms(_ idioms: Set<UserInterfaceIdiom>) -> RestorationPolicy {
    RestorationPolicy { header, _ in
      guard let idiom = header.userInterfaceIdiom else { return nil }
      return idioms.contains(idiom) ? nil : "saved from another kind of interface"
    }
  }

  /// Accepts archives only at launches for these reasons; otherwise the archive stays current, and a later launch may
  /// restore it.
  public static func reasons(_ reasons: Set<RestorationReason>) -> RestorationPolicy {
    RestorationPolicy { _, launch in
      reasons.contains(launch.reason) ? nil : "not restored at a launch for the reason \(launch.reason.rawValue)"
    }.answering(.notNow)
  }

  // MARK: Composing

  /// Returns a policy that accepts an archive if both policies do; the refusal of this one comes first, with its decision.
  public func and(_ other: RestorationPolicy) -> RestorationPolicy {
    RestorationPolicy(evaluating: { header, launch in self.evaluate(header, launch) ?? other.evaluate(header, launch) })
  }

  /// Returns a policy that accepts an archive if at least one policy does; if neither does, the refusal of this one applies,
  /// with its decision.
  public func or(_ other: RestorationPolicy) -> RestorationPolicy {
    RestorationPolicy(evaluating: { header, launch in
      guard let refusal = self.evaluate(header, launch) else { return nil }
      return other.evaluate(header, launch) == nil ? nil : refusal
    })
  }

  /// Returns the same policy with a different decision for refused archives.
  ///
  /// - Parameter decision: ``RestoreDecision/notNow`` or ``RestoreDecision/never``; ``RestoreDecision/restore`` changes nothing.
  /// - Returns: The policy.
  public func answering(_ decision: RestoreDecision) -> RestorationPolicy {
    RestorationPolicy(evaluating: { header, launch in
      guard let refusal = self.evaluate(header, launch) else { return nil }
      return decision == .restore ? refusal : Refusal(reason: refusal.reason, decision: decision)
    })
  }
}

/// Whether to restore saved state, as decided by the delegate or a policy.
public enum RestoreDecision: String, Sendable {
  /// Restore it.
  case restore
  /// Start fresh; the next launch tries to restore the archive again. If newer state is saved first, the archive
  /// becomes an offer.
  case notNow = "not-now"
  /// Start fresh; the archive is set aside and not offered again.
  case never
}

/// Information about the restoring launch, provided by the host; nothing is read from a clock or the environment.
public struct LaunchContext: Sendable {
  /// The reason for the launch.
  public var reason: RestorationReason
  /// The current time; policies about age need it.
  public var now: Date?
  /// The time of the last save that found the state unchanged, if later than the write; age is then counted from here.
  public var confirmedAt: Date?
  /// Additional information from the host app, such as a URL or document to open.
  public var information: [String: any Sendable]

  /// Creates a launch description.
  public init(reason: RestorationReason = .launch, now: Date? = nil, confirmedAt: Date? = nil, information: [String: any Sendable] = [:]) {
    (self.reason, self.now, self.confirmedAt, self.information) = (reason, now, confirmedAt, information)
  }
}

/// The reason for a launch that restores.
public enum RestorationReason: String, Sendable, CaseIterable {
  /// The first launch: no earlier one is on record.
  case pristine
  /// The previous process ended by itself, or by a signal that was handled.
  case launch
  /// The previous process crashed, was killed or lost power, or its record cannot be read.
  case recover
  /// The previous process was killed while it was suspended.
  case restore

  /// All reasons.
  package static let all: Set<RestorationReason> = Set(allCases)
}

/// The reason for starting without restored state.
public enum FreshStartReason: String, Sendable, CaseIterable {
  /// Nothing was saved.
  case nothingSaved = "nothing-saved"
  /// All saved state is damaged.
  case allDamaged = "all-damaged"
  /// The system could not read the saved state, also when asked again.
  case unreadable
  /// The saved state uses a later version of the format, or values that only a later version has.
  case laterVersion = "later-version"
  /// A policy or the delegate refused the saved state.
  case refused
  /// The saved state is offered to the user instead.
  case offered
  /// The state in the app's memory is newer than the saved state.
  case newerState = "newer-state"
  /// The app, the user or the host chose a fresh start.
  case chosen
}

extension ArchiveHeader {
  static let laterSaveKey = "restoration.laterSave"

  /// The time of an earlier save that is later than this one's: the clock was wrong in one of the two (R-3.5-8).
  var laterSave: Date? {
    get { if case .date(let date)? = additional[Self.laterSaveKey] { date } else { nil } }
    set { additional[Self.laterSaveKey] = newValue.map { .date($0) } }
  }

  /// Returns the time from which the age of the state is counted: a later save that is still in the future came from
  /// a wrong clock, and is ignored.
  func ageStart(at now: Date) -> Date? {
    guard let timestamp, let laterSave, laterSave <= now else { return timestamp }
    return max(timestamp, laterSave)
  }
}

extension NodeReader {
  /// The time of the last save by a launch that could have claimed the node; nil if that is not recorded.
  var lastClaimable: Date? {
    guard hasAttributes, case .date(let date)? = try? attributes()[EngineAttribute.lastClaimable] else { return nil }
    return date
  }
}

/// Limits on the unclaimed state that is carried over from save to save.
///
/// State beyond the limits is dropped: the file that has it is pinned (``Generation/Mark/pinned``), and
/// ``AppConfiguration/reportProblem`` is told. State that is set aside or kept beside an object counts too.
public struct CarryLimits: Sendable, Hashable {
  /// The maximum number of sessions that may have carried a node; nil for no limit.
  public var sessions: Int?
  /// The maximum age: the time since a launch could last have claimed the state, or else since it was saved; nil for no
  /// limit.
  ///
  /// Two launches in a row must find the age exceeded, so that a clock that is wrong once ends nothing. Applies only if the
  /// current time and the times of the saves are known.
  public var age: Duration?
  /// The maximum number of state bytes in all carried nodes; the nodes carried longest are dropped first, of
  /// those the largest.
  public var byteCount: Int

  /// The default limits: half a year and 16 MiB.
  public static let standard = CarryLimits()

  /// Creates limits.
  public init(sessions: Int? = nil, age: Duration? = .seconds(180 * 86_400), byteCount: Int = 16 << 20) {
    self.sessions = sessions
    self.age = age
    self.byteCount = byteCount
  }

  /// Returns whether the limits end a carried node: it is too old now, and was so when its archive was saved (R-3.5-6).
  func end(_ node: NodeReader, _ origin: ArchiveOrigin, now: Date?) -> Bool {
    if let sessions, Int(origin.sessionsCarried) > sessions { return true }
    guard let age, let now, let saved = node.header.timestamp, let start = node.lastClaimable ?? origin.timestamp else { return false }
    return [now, saved].allSatisfy { $0.timeIntervalSince(start) > age / .seconds(1) }
  }
}
