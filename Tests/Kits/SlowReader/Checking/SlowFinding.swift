/// A finding of a checker (Spec 7.2): a code of the registry and an offset in the file.
public struct SlowFinding: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code, as the registry spells it.
  public var code: String
  /// The offset in the file, in bytes from its beginning.
  public var offset: Int

  /// Creates a finding.
  public init(code: String, offset: Int) {
    self.code = code
    self.offset = offset
  }

  init(_ code: String, at offset: Int) {
    self.init(code: code, offset: offset)
  }

  /// Whether it is damage of a spare copy if it does not stop the checks (Spec 7.2 F).
  var costsNoContent: Bool { ["prefix-damaged", "metadata-damaged", "tree-damaged"].contains(code) }

  /// The code and the offset, as in `bad-magic at 0x0`.
  public var description: String {
    "\(code) at 0x\(String(offset, radix: 16))"
  }
}
