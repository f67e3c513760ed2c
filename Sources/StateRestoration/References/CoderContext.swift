import RestorationArchive

/// The services of the engine that ``Reference`` reaches through the user information of a coder.
protocol CoderContext: AnyObject {
  /// Returns the path of an object that is being saved; if it has none, reports this and returns nil.
  func path(ofAny object: Any) throws -> RestorationPath?
  /// Returns the object that was restored at a path; if there is none, reports this and returns nil.
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)?
}

/// The context of the encoders of a capture, which may outlive it.
final class CaptureContext: CoderContext {
  weak var capture: Capture?
  init(_ capture: Capture) { self.capture = capture }
  func path(ofAny object: Any) throws -> RestorationPath? { try capture?.path(ofAny: object) }
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { nil }
}

extension StateEncoder {
  /// The capture that the encoder belongs to; nil for an encoder of a writer without the engine.
  var capture: Capture? { (context as? CaptureContext)?.capture }

  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { UnclaimedChanges.areUsed ? capture?.application.changes : nil }
}

extension StateDecoder {
  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { UnclaimedChanges.areUsed ? session?.application?.changes : nil }
}

extension CodingUserInfoKey {
  static let restorationSession = CodingUserInfoKey(unchecked: "state-restoration.session")
  static let capture = CodingUserInfoKey(unchecked: "state-restoration.capture")

  private init(unchecked name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self = key
  }
}
