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
