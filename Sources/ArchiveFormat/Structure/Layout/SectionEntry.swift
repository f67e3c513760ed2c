/// A section as the directory lists it (Spec §4.3.1).
package struct SectionEntry: Sendable, Equatable {
  /// What the section is.
  package let code: SectionCode
  /// Its length.
  package let length: Int
  /// Where it lies, from the start of the body.
  package let range: Range<Int>

  /// Makes an entry.
  package init(code: SectionCode, length: Int, range: Range<Int>) {
    self.code = code
    self.length = length
    self.range = range
  }
}
