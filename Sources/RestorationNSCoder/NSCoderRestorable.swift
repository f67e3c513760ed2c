public import Foundation
// One import is enough for an app.
@_exported public import StateRestoration

/// A restorable object that encodes and decodes its state with `NSCoder`.
///
///     final class ReaderController: NSObject, @MainActor NSCoderRestorable {
///       static let restorationType = "Reader"
///       let restorationIdentifier: String? = "reader"
///       var page = 0
///
///       func encodeRestorableState(with coder: NSCoder) {
///         coder.encode(page, forKey: "page")
///       }
///       func decodeRestorableState(with coder: NSCoder) {
///         page = coder.decodeInteger(forKey: "page")
///       }
///     }
///
/// An error of one of the calls fails the object, like an error that a `StateEncoder` or `StateDecoder` throws: its
/// previous state is kept, or it counts as failed in the report. Properties marked with `@Restored` are saved and
/// restored too. A class with subclasses starts with ``NSCoderRestorableObject``.
public protocol NSCoderRestorable: Restorable {
  /// The classes of the app's own objects in the state.
  static var restorableClasses: ObjectClasses { get }
  /// Encodes the state to restore.
  func encodeRestorableState(with coder: NSCoder)
  /// Restores the encoded state.
  func decodeRestorableState(with coder: NSCoder)
}

extension NSCoderRestorable {
  /// No classes.
  public static var restorableClasses: ObjectClasses { [:] }
  /// Encodes the restored properties, and what the object encodes with `NSCoder`.
  public func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeRestoredProperties(with: coder)
    try coder.withNSCoder(classes: Self.restorableClasses) { encodeRestorableState(with: $0) }
  }
  /// Decodes the restored properties, and what the object decodes with `NSCoder`.
  public func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    try coder.withNSCoder(classes: Self.restorableClasses) { decodeRestorableState(with: $0) }
  }
}

/// A base class for objects of the main actor that encode and decode their state with `NSCoder`, in the place of
/// `UIViewController`, `UIView` or `NSResponder`.
///
///     class ReaderController: NSCoderRestorableObject {
///       override class var restorationType: String { "Reader" }
///       var page = 0
///
///       override func encodeRestorableState(with coder: NSCoder) {
///         super.encodeRestorableState(with: coder)
///         coder.encode(page, forKey: "page")
///       }
///       override func decodeRestorableState(with coder: NSCoder) {
///         super.decodeRestorableState(with: coder)
///         page = coder.decodeInteger(forKey: "page")
///       }
///     }
open class NSCoderRestorableObject: MainActorRestorableObject, @MainActor NSCoderRestorable {
  private var identifier: String?

  /// Creates an object.
  ///
  /// - Parameter restorationIdentifier: The identifier among the siblings, 1 to 1,024 bytes. With nil, neither the
  ///   object nor its descendants are saved.
  public override init(restorationIdentifier: String? = nil) {
    identifier = restorationIdentifier
    super.init(restorationIdentifier: restorationIdentifier)
  }

  /// The identifier among the siblings.
  open override var restorationIdentifier: String? {
    get { identifier }
    set { identifier = newValue }
  }

  /// The classes of the app's own objects in the state; none by default.
  open class var restorableClasses: ObjectClasses { [:] }
  /// Encodes the state to restore; does nothing by default.
  open func encodeRestorableState(with coder: NSCoder) {}
  /// Restores the encoded state; does nothing by default.
  open func decodeRestorableState(with coder: NSCoder) {}

  /// Encodes the restored properties, and what the object encodes with `NSCoder`.
  open override func encodeRestorableState(with coder: StateEncoder) throws {
    try super.encodeRestorableState(with: coder)
    try coder.withNSCoder(classes: Self.restorableClasses) { encodeRestorableState(with: $0) }
  }

  /// Decodes the restored properties, and what the object decodes with `NSCoder`.
  open override func decodeRestorableState(with coder: StateDecoder) throws {
    try super.decodeRestorableState(with: coder)
    try coder.withNSCoder(classes: Self.restorableClasses) { decodeRestorableState(with: $0) }
  }
}

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
