public import RestorationArchive

/// The services of a capture for its encoders, which may outlive it.
final class CaptureContext: CoderContext {
  fileprivate weak var capture: Capture?

  init(_ capture: Capture) { self.capture = capture }

  override var changes: ChangeTracking? { capture?.application.changes }

  override func path(ofAny object: Any) throws -> RestorationPath? { try capture?.path(ofAny: object) }

  override func restoredProperties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    guard let capture else { return try super.restoredProperties(of: object, at: path) }
    capture.lastWithProperties = ObjectIdentifier(object)
    return try capture.application.restoredProperties(of: object, at: path)
  }

  override func noteDefaultEncoding(of object: any Restorable, _ properties: RestoredProperties?) {
    capture?.noteDefaultEncoding(of: object, properties)
  }
}

extension StateEncoder {
  /// The capture that the encoder belongs to; nil for an encoder of a writer without the engine.
  var capture: Capture? { (context as? CaptureContext)?.capture }

  // MARK: References

  /// Encodes a reference to another object as its path.
  ///
  /// An object that is in no other object's children is still saved, below its ``Restorable/restorationParent``. An
  /// object without a path, or of another scene, is stored as null, which the report records. Nil keeps the target that
  /// was decoded under the key while that waits to be restored, for example because a plug-in is missing.
  ///
  /// - Parameters:
  ///   - object: The object, or nil for null.
  ///   - key: The key.
  /// - Throws: `empty-key` or `string-length` for the key; ``RestorationError`` if the coder does not come from the
  ///   engine.
  public func encode(reference object: (any Restorable)?, forKey key: String) throws {
    let target = try object.map { try path(of: $0, forKey: key) } ?? capture?.waitingTarget(at: path, key: key, place: 0)
    try encode(path: target, forKey: key)
  }

  /// Encodes references to other objects, in order; nil becomes null, or the target that it was decoded from.
  ///
  /// - Throws: The errors of ``encode(reference:forKey:)``.
  public func encode(references objects: [(any Restorable)?], forKey key: String) throws {
    var place = 0
    let targets = try objects.map { object in
      if let object { return try path(of: object, forKey: key) }
      defer { place += 1 }
      return capture?.waitingTarget(at: path, key: key, place: place)
    }
    try encode(paths: targets, forKey: key)
  }

  /// Returns the path of an object for a reference to it; if it has none, reports its fate and returns nil.
  package func path(
    of object: any Restorable, forKey key: String, withoutPath fate: String = "is stored as null"
  ) throws -> RestorationPath? {
    guard let capture else {
      throw RestorationError(.noSession, path: path, "objects are known only to coders that preserving hands out")
    }
    if let target = try capture.path(of: object) { return target }
    let reason = capture.whyWithoutPath(object)
    capture.report(.reference, path, "its reference \(key.quotedForDisplay) to a \(type(of: object)), \(reason), \(fate)")
    return nil
  }
}

extension Capture {
  /// Returns the saved target of a reference of the object at a path, if the object found none there when it decoded it.
  fileprivate func waitingTarget(at path: RestorationPath, key: String, place: Int) -> RestorationPath? {
    guard let session, !session.waitingReferences.isEmpty else { return nil }
    let owner: AnyObject? = path.isEmpty ? application.delegate : tree.number(at: path).flatMap { tree[$0].object }
    return session.waitingTarget(of: owner, key: key, place: place)
  }
}
