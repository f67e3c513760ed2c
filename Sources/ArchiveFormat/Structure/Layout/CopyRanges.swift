/// The ranges of the two copies of a part of the file (Spec §4).
package struct CopyRanges: RandomAccessCollection, Sendable {
  private let first: Range<Int>
  private let second: Range<Int>

  /// Creates a pair of ranges.
  package init(_ first: Range<Int>, _ second: Range<Int>) {
    self.first = first
    self.second = second
  }

  /// The index of the first copy.
  package var startIndex: Int { 0 }
  /// The index after the second copy.
  package var endIndex: Int { 2 }

  /// Returns the range of a copy.
  package subscript(copy: Int) -> Range<Int> {
    precondition(copy == 0 || copy == 1)
    return copy == 0 ? first : second
  }
}
