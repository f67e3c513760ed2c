import RestorationArchive

/// The services of the engine that its coders can reach.
protocol CoderContext: AnyObject {
  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { get }
  /// Returns the path of an object that is being saved; if it has none, reports this and returns nil.
  func path(ofAny object: Any) throws -> RestorationPath?
  /// Returns the object that was restored at a path; if there is none, reports this and returns nil.
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)?
}

extension StateEncoder {
  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? {
    UnclaimedChanges.areUsed ? (userInfo[.preservationRun] as? any CoderContext)?.changes : nil
  }
}

extension StateDecoder {
  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { UnclaimedChanges.areUsed ? (context as? any CoderContext)?.changes : nil }
}

extension CodingUserInfoKey {
  static let restorationSession = CodingUserInfoKey(unchecked: "state-restoration.session")
  static let preservationRun = CodingUserInfoKey(unchecked: "state-restoration.preservation")

  private init(unchecked name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self = key
  }
}
