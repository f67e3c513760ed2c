/// The bytes of an array that someone else keeps alive, so that reading them counts no reference.
///
/// The owner must keep the array unchanged as long as it uses this value; therefore it is sendable.
@safe @frozen @usableFromInline
package struct HeldBytes: BitwiseCopyable, @unchecked Sendable {
  @usableFromInline let start: UnsafePointer<UInt8>?
  @usableFromInline let count: Int

  /// Creates a reference to the elements of `owner`, whose memory does not move while it is retained.
  package init(of owner: borrowing [UInt8]) {
    unsafe start = owner.withUnsafeBufferPointer { $0.baseAddress }
    count = owner.count
  }

  /// Calls `body` with the bytes.
  @inlinable @inline(__always)
  package func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
    unsafe try body(Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
  }
}
