#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(ucrt)
  import ucrt
#endif

/// Blocks of memory as the C library gives them, aligned for numbers of 64 bits and whatever is made of them.
///
/// `allocate` of Swift's pointers asks for an alignment even where any will do, which takes twice as long here, and it cannot make a block
/// larger. If there is no memory the program ends, as it does where an array grows.
@usableFromInline
package enum RawMemory {
  /// A block of so many bytes, at least one.
  @usableFromInline
  package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    precondition(byteCount > 0)
    guard let block = unsafe malloc(byteCount) else { fatalError("out of memory") }
    return unsafe block
  }

  /// The block with another length, which may lie elsewhere now.
  @usableFromInline
  package static func resize(_ block: UnsafeMutableRawPointer, to byteCount: Int) -> UnsafeMutableRawPointer {
    precondition(byteCount > 0)
    guard let block = unsafe realloc(block, byteCount) else { fatalError("out of memory") }
    return unsafe block
  }

  /// Gives a block back.
  @usableFromInline
  package static func deallocate(_ block: UnsafeMutableRawPointer) {
    unsafe free(block)
  }
}
