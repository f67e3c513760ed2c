public import RestorationArchive

/// The services of the engine for the coders of its objects, which may outlive it.
///
/// The properties of this folder need it and do not know the engine. A class rather than a protocol, because a cast to a
/// class costs nothing, and it is made for each object.
class CoderContext {
  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { nil }

  /// Returns the path of an object that is being saved; if it has none, reports this and returns nil.
  func path(ofAny object: Any) throws -> RestorationPath? { nil }

  /// Returns the object that was restored at a path; if there is none, reports this and returns nil.
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { nil }

  /// Returns the path, in this build, of a node that was saved at a path.
  func currentPath(of target: RestorationPath) -> RestorationPath { target }

  /// Returns the present path of a node to which a reference is to lead again; nil if it is gone.
  func pathOfWaiting(at target: RestorationPath) -> RestorationPath? { target }

  /// Returns the restored properties of an object, which the engine finds only once.
  func restoredProperties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    try RestoredProperties.find(of: object, at: path)
  }

  /// Records that a property of the object with a number could not be decoded; returns false outside of restoring.
  func note(_ failure: any Error, of number: Int) -> Bool { false }

  /// Records that an object without restored properties leaves its decoding to the default implementation, which reads nothing.
  func noteUnread(by object: any Restorable, _ coder: StateDecoder) {}

  /// Records that an object is encoded by its restored properties alone.
  func noteDefaultEncoding(of object: any Restorable, _ properties: RestoredProperties?) {}
}

extension StateEncoder {
  /// The engine's services; nil for an encoder of a writer without the engine.
  var services: CoderContext? { context as? CoderContext }

  /// The receiver of object changes; nil without automatic saving.
  var changes: ChangeTracking? { UnclaimedChanges.areUsed ? services?.changes : nil }
}

extension StateDecoder {
  /// The engine's services; nil for a decoder of a reader without the engine.
  var services: CoderContext? { context as? CoderContext }

  /// Decodes the entire state as one `Codable` type, and fills missing fields from a default value.
  ///
  /// A build that adds a field can therefore read the state of older builds: the field gets its value from
  /// `defaultValue`. This also applies to fields of nested values, but not to array elements. A value that exists but
  /// cannot be decoded is an error. A ``Reference`` that is missing is null, whatever `defaultValue` has there.
  ///
  /// - Parameters:
  ///   - type: The type of the state.
  ///   - defaultValue: Provides the values of missing fields. It is only encoded if a field is missing.
  /// - Returns: The state.
  /// - Throws: The errors of the type's own decoding, and `DecodingError.keyNotFound` for a field that `defaultValue`
  ///   does not encode either.
  public func decodeState<Value: Codable>(_ type: Value.Type = Value.self, default defaultValue: @autoclosure () -> Value) throws -> Value {
    do {
      return try decodeState(type)
    } catch DecodingError.keyNotFound {
    } catch DecodingError.valueNotFound(_, let context) where (context.underlyingError as? ArchiveError)?.code == .absentKey {
      // The state of a superclass.
    }
    let writer = ArchiveWriter(userInfo: userInfo)
    let value = defaultValue()
    try writer.encodeApplicationState { try $0.encodeState(value) }
    return try decodeState(type, defaults: ArchiveReader(writer.finish()).application().decoder().with(userInfo: userInfo))
  }
}

extension CodingUserInfoKey {
  static let restorationSession = CodingUserInfoKey(unchecked: "state-restoration.session")
  static let capture = CodingUserInfoKey(unchecked: "state-restoration.capture")

  private init(unchecked name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self = key
  }
}
