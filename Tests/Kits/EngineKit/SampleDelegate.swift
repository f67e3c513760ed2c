public import StateRestoration

/// A delegate that tests can make do anything.
public final class SampleDelegate: RestorationDelegate {
  /// Its answer to whether to save.
  public var saving: (StateEncoder) -> SaveDecision = { _ in .save }
  /// What it encodes.
  public var encoding: (StateEncoder) throws -> Void = { _ in }
  /// Its answer to whether to restore.
  public var restoring: (StateDecoder, RestorationLaunch) -> RestoreDecision = { _, _ in .restore }
  /// Its answer about a node.
  public var making: (FactoryRequest) throws -> FactoryAnswer? = { _ in nil }
  /// What it decodes.
  public var decoding: (StateDecoder) throws -> Void = { _ in }
  /// Why it was told to start fresh.
  public private(set) var freshStarts: [FreshStartReason] = []
  /// Where its calls are noted.
  public var log: CallLog?

  /// Makes a delegate.
  public init(log: CallLog? = nil) {
    self.log = log
  }

  /// Notes the call and does as the test says.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    log?.note("should save")
    return saving(coder)
  }

  /// Notes the call and does as the test says.
  public func willEncodeRestorableState(with coder: StateEncoder) throws {
    log?.note("will encode")
    try encoding(coder)
  }

  /// Notes the call and does as the test says.
  public func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision {
    log?.note("should restore")
    return restoring(coder, launch)
  }

  /// Notes the call and does as the test says.
  public func restorableObject(for node: FactoryRequest) throws -> FactoryAnswer? {
    log?.note("delegate \(PlainText.text(node.path))")
    return try making(node)
  }

  /// Notes the call and does as the test says.
  public func didDecodeRestorableState(with coder: StateDecoder) throws {
    log?.note("did decode")
    try decoding(coder)
  }

  /// Notes the call and does as the test says.
  public func applicationStartsFresh(_ reason: FreshStartReason) {
    log?.note("fresh \(reason.rawValue)")
    freshStarts.append(reason)
  }
}
