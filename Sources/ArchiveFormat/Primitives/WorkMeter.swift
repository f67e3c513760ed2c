#if DEBUG || METERED
  import Synchronization
#endif

/// Counts the work of reading, so that tests can show that it is proportional to the file, whatever its content (Spec
/// §11).
///
/// A unit is a byte that is hashed, validated or compared as text, a value that is skipped, or a node record or block
/// that is requested. Debug builds and builds with `-Xswiftc -DMETERED` count; in other builds the calls compile to
/// nothing.
@usableFromInline
package enum WorkMeter {
  #if DEBUG || METERED
    private static let units = Atomic<Int>(0)

    @usableFromInline
    static func add(_ number: Int) {
      units.wrappingAdd(number, ordering: .relaxed)
    }
  #endif

  /// Adds units of work.
  @inlinable @inline(__always)
  package static func count(_ number: Int) {
    #if DEBUG || METERED
      add(number)
    #endif
  }

  /// The work done in this process so far, or nil if the build does not count.
  package static var total: Int? {
    #if DEBUG || METERED
      units.load(ordering: .relaxed)
    #else
      nil
    #endif
  }
}
