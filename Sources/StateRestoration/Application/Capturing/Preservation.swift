public import FoundationValues
public import RestorationArchive

/// The result of preserving: an archive and a report.
///
/// It can be written anywhere, on any thread. All state is already encoded; the bytes are assembled on first access,
/// preferably on the thread that writes them.
public struct Preservation: Sendable {
  /// The decision of the delegate; there is an archive if it is `save`.
  public let decision: SaveDecision
  /// The report on each object.
  public let report: PreservationReport
  /// Whether writing must be deferred, because the previous state has not arrived yet.
  ///
  /// Also true for ``SaveDecision/keepPrevious`` while an earlier save is still deferred.
  public internal(set) var isDeferred: Bool
  /// The captured state; nil if there is nothing to save.
  let snapshot: Snapshot?
  /// Whether only what has changed since an earlier capture was encoded.
  package var isOfChanges: Bool { snapshot?.changeCount ?? 0 > 0 }

  init(_ decision: SaveDecision, report: PreservationReport, isDeferred: Bool, snapshot: Snapshot? = nil) {
    self.decision = decision
    self.report = report
    self.isDeferred = isDeferred
    self.snapshot = snapshot
  }

  /// The bytes of the archive, assembled on first access; nil if the delegate keeps or forgets the previous state.
  ///
  /// - Throws: `file-too-large`.
  public var archive: Data? {
    get throws(ArchiveError) { try snapshot?.data() }
  }

  /// A digest of the content, independent of the time of the save; nil without an archive.
  ///
  /// Assembles the archive.
  ///
  /// - Throws: `file-too-large`.
  public var contentDigest: ContentDigest? {
    get throws(ArchiveError) { try snapshot.map { (snapshot) throws(ArchiveError) in try snapshot.contentDigest } }
  }
}

/// Options for preserving state.
public struct PreservationOptions: Sendable {
  /// Whether only the objects that have changed since the previous capture are encoded; the archive is whole all the same.
  ///
  /// The first capture encodes everything. A later one skips objects that ``Restorable/tracksChanges`` while they report
  /// no change, and objects whose class leaves the encoding to ``Restored`` properties of plain values (numbers,
  /// Booleans, strings, dates, data, UUIDs, URLs, enumerations by raw value, and optionals, arrays, sets and
  /// dictionaries of them) while none is set. Everything is encoded while state is unclaimed or quarantined, while an
  /// object is registered individually, and while most objects would have to be encoded anyway.
  public var encodesOnlyChanges: Bool
  /// Whether each capture of changes is compared with a capture of everything; intended for tests.
  ///
  /// Preserving then throws if an object that promises to track its changes (``Restorable/tracksChanges``) has changed
  /// without reporting it.
  public var verifiesChanges: Bool
  /// Whether preserving throws if two objects have the same path; intended for tests and debug builds.
  ///
  /// Otherwise the first object in saved order is saved, or the one that was restored to the path, and all of them are
  /// reported. A store pins the file before when a second object comes later.
  package var failsOnDuplicates = false
  /// Whether preserving throws if an object cannot encode its state, instead of keeping the object's previous state.
  package var isStrict = false
  /// The age and size limits of unclaimed state that is carried over.
  public var carryLimits: CarryLimits
  /// The limits on the size of the archive; the report lists what exceeds them, and everything is saved all the same.
  ///
  /// They are checked when everything is captured, and not when ``encodesOnlyChanges`` skips objects.
  public var budget: SizeBudget?

  /// Creates options.
  public init(
    carryLimits: CarryLimits = .standard, encodesOnlyChanges: Bool = false, verifiesChanges: Bool = false, budget: SizeBudget? = nil
  ) {
    self.budget = budget
    self.encodesOnlyChanges = encodesOnlyChanges
    self.verifiesChanges = verifiesChanges
    self.carryLimits = carryLimits
  }

  /// Creates options for tests, in which mistakes of objects are errors.
  package init(failsOnDuplicates: Bool = false, isStrict: Bool) {
    self.init()
    self.failsOnDuplicates = failsOnDuplicates
    self.isStrict = isStrict
  }
}
