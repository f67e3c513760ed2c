/// A section, as listed in the directory (Spec §4.3.1).
package struct SectionEntry: Sendable, Equatable {
  /// The code of the section.
  package let code: SectionCode
  /// The length of the section.
  package let length: Int
  /// The range of the section, from the start of the body.
  package let range: Range<Int>

  /// Creates an entry.
  package init(code: SectionCode, length: Int, range: Range<Int>) {
    self.code = code
    self.length = length
    self.range = range
  }
}
