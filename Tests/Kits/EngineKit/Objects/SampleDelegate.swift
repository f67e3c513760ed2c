public import StateRestoration

/// A delegate whose behavior tests can replace.
public final class SampleDelegate: RestorationDelegate {
  /// Decides whether to save.
  public var saving: (StateEncoder) -> SaveDecision = { _ in .save }
  /// Encodes the delegate's state.
  public var encoding: (StateEncoder) throws -> Void = { _ in }
  /// Decides whether to restore.
  public var restoring: (StateDecoder, LaunchContext) -> RestoreDecision = { _, _ in .restore }
  /// Provides the object for a node.
  public var making: (FactoryRequest) throws -> FactoryResult? = { _ in nil }
  /// Decodes the delegate's state.
  public var decoding: (StateDecoder) throws -> Void = { _ in }
  /// The reasons of all fresh starts.
  public private(set) var freshStarts: [FreshStartReason] = []
  /// The log of its calls.
  public var log: CallLog?

  /// Creates a delegate.
  public init(log: CallLog? = nil) {
    self.log = log
  }

  /// Logs the call and calls ``saving``.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    log?.note("should save")
    return saving(coder)
  }

  /// Logs the call and calls ``encoding``.
  public func willEncodeRestorableState(with coder: StateEncoder) throws {
    log?.note("will encode")
    try encoding(coder)
  }

  /// Logs the call and calls ``restoring``.
  public func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    log?.note("should restore")
    return restoring(coder, launch)
  }

  /// Logs the call and calls ``making``.
  public func restorableObject(for node: FactoryRequest) throws -> FactoryResult? {
    log?.note("delegate \(PlainText.text(node.path))")
    return try making(node)
  }

  /// Logs the call and calls ``decoding``.
  public func didDecodeRestorableState(with coder: StateDecoder) throws {
    log?.note("did decode")
    try decoding(coder)
  }

  /// Logs the call and records the reason.
  public func applicationStartsFresh(_ reason: FreshStartReason) {
    log?.note("fresh \(reason.rawValue)")
    freshStarts.append(reason)
  }
}
