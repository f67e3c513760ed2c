/// Records with the same parent, one behind the other, as the checker goes through them.
struct Siblings {
  /// The index of their parent's record, as they say.
  var parent: UInt32 = 0
  /// The index of the first one.
  let start: Int
  /// The records that their parent says are its children; nil if the parent does not come before them or cannot be believed.
  var children: Range<UInt64>?
  /// How many identifiers their paths have, as far as is known.
  var depth: Int32 = 1
}
