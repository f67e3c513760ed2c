/// A run of records with the same parent, as the checker meets them.
struct Siblings {
  /// The index of the parent record, as stated by the siblings.
  var parent: UInt32 = 0
  /// The index of the first sibling.
  let start: Int
  /// The range of children that the parent states, or nil if the parent does not precede the siblings or is damaged.
  var children: Range<UInt64>?
  /// The number of identifiers in the siblings' paths, as far as known.
  var depth: Int32 = 1
}
