public import Foundation
public import StateRestoration

/// A delegate that makes its decisions, and encodes and decodes the application state, with `NSCoder`.
///
/// Its methods correspond to those of `UIApplicationDelegate`:
///
/// | `UIApplicationDelegate` | here |
/// |---|---|
/// | `application(_:shouldSaveSecureApplicationState:)` | ``shouldSaveApplicationState(to:)`` |
/// | `application(_:willEncodeRestorableStateWith:)` | ``willEncodeRestorableState(with:)-(NSCoder)`` |
/// | `application(_:shouldRestoreSecureApplicationState:)` | ``shouldRestoreApplicationState(from:)`` |
/// | `application(_:didDecodeRestorableStateWith:)` | ``didDecodeRestorableState(with:)-(NSCoder)`` |
///
/// As a delegate with its own coding methods does, it calls `encodeRestoredProperties(of:)` and
/// `decodeRestoredProperties(of:)` if it has properties marked with `@Restored`; the default implementations of the
/// methods of `RestorationDelegate` do so.
public protocol NSCoderRestorationDelegate: RestorationDelegate {
  /// The classes of the app's own objects in the application state.
  var restorableClasses: ObjectClasses { get }
  /// Decides whether to save. With false, the previous state is kept.
  ///
  /// The values that the delegate encodes here belong to the application state.
  func shouldSaveApplicationState(to coder: NSCoder) -> Bool
  /// Encodes the application state, before any object is encoded.
  func willEncodeRestorableState(with coder: NSCoder)
  /// Decides whether to restore. With false, the app starts fresh, and the saved state remains available.
  func shouldRestoreApplicationState(from coder: NSCoder) -> Bool
  /// Restores the application state, after all objects have been decoded.
  func didDecodeRestorableState(with coder: NSCoder)
}

extension NSCoderRestorationDelegate {
  /// No classes.
  public var restorableClasses: ObjectClasses { [:] }
  /// Saves.
  public func shouldSaveApplicationState(to coder: NSCoder) -> Bool { true }
  /// Does nothing.
  public func willEncodeRestorableState(with coder: NSCoder) {}
  /// Restores.
  public func shouldRestoreApplicationState(from coder: NSCoder) -> Bool { true }
  /// Does nothing.
  public func didDecodeRestorableState(with coder: NSCoder) {}

  /// Asks ``shouldSaveApplicationState(to:)``.
  ///
  /// False is `SaveDecision.keepPrevious`. So is an error, which `didCatch(_:at:)` receives.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    do {
      return try coder.withNSCoder(classes: restorableClasses) { shouldSaveApplicationState(to: $0) } ? .save : .keepPrevious
    } catch {
      didCatch(error, at: .application)
      return .keepPrevious
    }
  }

  /// Encodes the restored properties, and what the delegate encodes with `NSCoder`.
  public func willEncodeRestorableState(with coder: StateEncoder) throws {
    try coder.encodeRestoredProperties(of: self)
    try coder.withNSCoder(classes: restorableClasses) { willEncodeRestorableState(with: $0) }
  }

  /// Asks ``shouldRestoreApplicationState(from:)``.
  ///
  /// False is `RestoreDecision.notNow`. An error does not change the decision; `didCatch(_:at:)`
  /// receives it.
  public func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    var decides = false
    do {
      try coder.withNSCoder(classes: restorableClasses) { decides = shouldRestoreApplicationState(from: $0) }
    } catch {
      didCatch(error, at: .application)
    }
    return decides ? .restore : .notNow
  }

  /// Decodes the restored properties, and what the delegate decodes with `NSCoder`.
  public func didDecodeRestorableState(with coder: StateDecoder) throws {
    try coder.decodeRestoredProperties(of: self)
    try coder.withNSCoder(classes: restorableClasses) { didDecodeRestorableState(with: $0) }
  }
}
