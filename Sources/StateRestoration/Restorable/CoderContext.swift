import RestorationArchive

/// What the coders of the engine know beside the archive.
protocol CoderContext: AnyObject {
  /// Where changes of the objects are reported; nil where nothing saves by itself.
  var changes: ChangeTracking? { get }
  /// The path of an object that is being saved; nil, which is reported, if it has none.
  func path(ofAny object: Any) -> RestorationPath?
  /// The object that was restored for a path; nil if there is none, which is reported.
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)?
}

extension StateEncoder {
  /// Where changes of the objects are reported; nil where nothing saves by itself.
  var changes: ChangeTracking? {
    UnclaimedChanges.areUsed ? (userInfo[.preservationRun] as? any CoderContext)?.changes : nil
  }
}

extension StateDecoder {
  /// Where changes of the objects are reported; nil where nothing saves by itself.
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
