import RestorationArchive

/// The services of a capture for its encoders, which may outlive it.
final class CaptureContext: CoderContext {
  fileprivate weak var capture: Capture?

  init(_ capture: Capture) { self.capture = capture }

  override var changes: ChangeTracking? { capture?.application.changes }

  override func path(ofAny object: Any) throws -> RestorationPath? { try capture?.path(ofAny: object) }

  override func restoredProperties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    guard let capture else { return try super.restoredProperties(of: object, at: path) }
    return try capture.application.restoredProperties(of: object, at: path)
  }

  override func noteDefaultEncoding(of object: any Restorable, _ properties: RestoredProperties?) {
    capture?.noteDefaultEncoding(of: object, properties)
  }
}

extension StateEncoder {
  /// The capture that the encoder belongs to; nil for an encoder of a writer without the engine.
  var capture: Capture? { (context as? CaptureContext)?.capture }
}
