/// The resources that reading a property list, keyed archive or state archive may take (`Spec/imports.md`,
/// section 7).
///
/// State archives of UIKit hold archives within archives. The limits are for all levels together, so that a file of
/// small archives costs no more than a large one.
public struct ImportLimits: Sendable, Equatable {
  /// The nesting depth of arrays, sets and dictionaries in a property list: 512 by default, the limit of
  /// CoreFoundation, and at most that.
  public var depth: Int {
    didSet { depth = min(depth, Self.maximumDepth) }
  }
  /// The number of objects and values that may be created: 16,777,216 by default.
  public var objects: Int
  /// The units of work for each byte of the file: 64 by default.
  ///
  /// Each object, reference and byte of text or data takes one unit on each level. Honest files take less than ten for
  /// each byte; more means that objects overlap or are shared in a way that no writer produces.
  public var workPerByte: Int

  private static let maximumDepth = 512

  /// Creates limits.
  public init(depth: Int = 512, objects: Int = 1 << 24, workPerByte: Int = 64) {
    self.depth = min(depth, Self.maximumDepth)
    self.objects = objects
    self.workPerByte = workPerByte
  }

  /// The default limits.
  public static let standard = ImportLimits()
}
