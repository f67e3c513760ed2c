import SystemLibrary

/// Blocks of memory from the C library, aligned for 64-bit numbers.
///
/// `allocate` of Swift's pointers always requests an alignment, which takes twice as long here, and it cannot resize a
/// block. Running out of memory ends the program, as it does when an array grows.
@usableFromInline
package enum RawMemory {
  /// Returns a new block of `byteCount` bytes, at least one.
  @usableFromInline
  package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    precondition(byteCount > 0)
    guard let block = unsafe malloc(byteCount) else { fatalError("out of memory") }
    return unsafe block
  }

  /// Resizes a block, which may move.
  @usableFromInline
  package static func resize(_ block: UnsafeMutableRawPointer, to byteCount: Int) -> UnsafeMutableRawPointer {
    precondition(byteCount > 0)
    guard let block = unsafe realloc(block, byteCount) else { fatalError("out of memory") }
    return unsafe block
  }

  /// Deallocates a block.
  @usableFromInline
  package static func deallocate(_ block: UnsafeMutableRawPointer) {
    unsafe free(block)
  }
}
