public import RestorationArchive

/// The services of a capture for its encoders, which may outlive it.
final class CaptureContext: CoderContext {
  fileprivate weak var capture: Capture?

  init(_ capture: Capture) { self.capture = capture }

  override var changes: ChangeTracking? { capture?.application.changes }

  override func path(ofAny object: Any) throws -> RestorationPath? { try capture?.path(ofAny: object) }

  override func pathOfWaiting(at target: RestorationPath) -> RestorationPath? {
    guard let session = capture?.session else { return target }
    return session.pathOfWaiting(at: target)
  }

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
    let waiting = waitingTarget(forKey: key, isNil: object == nil)
    try encode(path: object.map { try path(of: $0, forKey: key) } ?? waiting, forKey: key)
  }

  /// Encodes references to other objects, in order; nil becomes null, or the target that it was decoded from.
  ///
  /// - Throws: The errors of ``encode(reference:forKey:)``.
  public func encode(references objects: [(any Restorable)?], forKey key: String) throws {
    let waiting = waitingTargets(forKey: key, isNil: objects.map { $0 == nil })
    let targets = try zip(objects, waiting).map { object, target in try object.map { try path(of: $0, forKey: key) } ?? target }
    try encode(paths: targets, forKey: key)
  }

  /// Returns the targets to store in place of nil, which the object decoded as nil because they waited.
  private func waitingTargets(forKey key: String, isNil: [Bool]) -> [RestorationPath?] {
    // A key in a dictionary has nothing to do with the same one in the state.
    guard !isInDictionary, let capture, let record = capture.waitingReferences(at: path, key: key) else { return isNil.map { _ in nil } }
    var nils = record[...]
    let targets = isNil.map { isNil in isNil ? nils.popFirst().flatMap { capture.waitingTarget($0) } : nil }
    // A reference to another object is null once it is cleared.
    if !nils.isEmpty { capture.setWaitingReferences(Array(record.prefix(record.count - nils.count)), at: path, key: key) }
    return targets
  }

  /// Returns the targets that are missing in a decoded list because they waited, with their places there and the class of the list.
  ///
  /// A target that the list has by now is none of them, and is forgotten: without it, the list would get it back.
  package func waitingElements(
    forKey key: String, besides targets: @autoclosure () -> Set<RestorationPath> = []
  ) -> [(place: Int, target: RestorationPath, list: String)] {
    guard !isInDictionary, let capture, let record = capture.waitingReferences(at: path, key: key) else { return [] }
    let targets = targets()
    let kept = record.filter { reference in capture.waitingTarget(reference).map { !targets.contains($0) } ?? true }
    if kept.count < record.count { capture.setWaitingReferences(kept, at: path, key: key) }
    return kept.compactMap { reference in
      reference.list.flatMap { list in capture.waitingTarget(reference).map { (reference.place, $0, list) } }
    }
  }

  /// Returns the target to store in place of nil, or forgets the one that was decoded under the key if there is an object now.
  package func waitingTarget(forKey key: String, isNil: Bool) -> RestorationPath? {
    capture?.session?.waitingReferences.isEmpty == false ? waitingTargets(forKey: key, isNil: [isNil])[0] : nil
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
  /// Returns the references that the object at a path decoded as nil under a key.
  fileprivate func waitingReferences(at path: @autoclosure () -> RestorationPath, key: String) -> [RestorationSession.WaitingReference]? {
    guard let session, !session.isForgotten, !session.waitingReferences.isEmpty, let owner = owner(at: path()),
      let known = session.waitingReferences[ObjectIdentifier(owner)], known.owner === owner
    else { return nil }
    return known.references[TextKey(key)]
  }

  fileprivate func waitingTarget(_ reference: RestorationSession.WaitingReference) -> RestorationPath? {
    reference.entry.flatMap { session?.pathOfWaiting($0) }
  }

  fileprivate func setWaitingReferences(_ references: [RestorationSession.WaitingReference], at path: RestorationPath, key: String) {
    guard let session, let owner = owner(at: path) else { return }
    session.waitingReferences[ObjectIdentifier(owner)]?.references[TextKey(key)] = references.isEmpty ? nil : references
  }

  private func owner(at path: RestorationPath) -> AnyObject? {
    path.isEmpty ? application.delegate : tree.number(at: path).flatMap { tree[$0].object }
  }
}
