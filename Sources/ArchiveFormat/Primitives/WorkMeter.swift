#if DEBUG || METERED
  import Synchronization
#endif

/// Counts the work of reading, so that tests can show that it stays in proportion to the file, whatever that contains (Spec §11).
///
/// A unit is a byte that was hashed, validated or compared as text, a value that was passed over, a node record or a block that was asked
/// for. Debug builds count, and those with `-Xswiftc -DMETERED`; in others nothing of it is left.
@usableFromInline
package enum WorkMeter {
  #if DEBUG || METERED
    private static let units = Atomic<Int>(0)

    @usableFromInline
    static func add(_ number: Int) {
      units.wrappingAdd(number, ordering: .relaxed)
    }
  #endif

  /// Counts units of work.
  @inlinable @inline(__always)
  package static func count(_ number: Int) {
    #if DEBUG || METERED
      add(number)
    #endif
  }

  /// How much work was done in this process so far; nil if nobody counted.
  package static var total: Int? {
    #if DEBUG || METERED
      units.load(ordering: .relaxed)
    #else
      nil
    #endif
  }
}
