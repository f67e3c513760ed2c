extension Array where Element: BitwiseCopyable {
  /// The elements as a span.
  ///
  /// Replaces the standard library's property of the same name, which needs macOS 26. `ContiguousArray.span` is
  /// available since macOS 10.14.4, and a contiguous array of plain elements shares the memory of the array it is
  /// created from. Delete this file once the deployment floor is macOS 26.
  @inlinable
  package var span: Span<Element> {
    @_lifetime(borrow self) @inline(__always)
    get { unsafe _overrideLifetime(ContiguousArray(self).span, borrowing: self) }
  }
}
