/// Copies pieces of one ``OutputBuffer`` to the end of another, one after the other.
///
/// Most entries are short. A short one is copied in fixed-size steps together with the bytes after it, which the next
/// piece then overwrites. That takes a fraction of the time of a `memmove` call and needs no branch on the length.
@safe struct PieceCopier: ~Copyable {
  /// The length of the longest piece that is copied in fixed-size steps.
  ///
  /// The target has this much room beyond its limit.
  static let shortLength = 64

  private let source: UnsafeRawPointer
  /// The number of bytes of the source, and of those that can be read in its memory.
  private let sourceCount: Int
  private let sourceRoom: Int
  private let target: UnsafeMutableRawPointer
  private let limit: Int
  /// The number of bytes copied.
  private(set) var count = 0

  /// Creates a copier from a source with `sourceRoom` readable bytes to a target with room for `limit` plus
  /// ``shortLength`` bytes.
  @unsafe @inline(__always)
  init(source: UnsafeRawPointer, sourceCount: Int, sourceRoom: Int, target: UnsafeMutableRawPointer, limit: Int) {
    unsafe self.source = unsafe source
    self.sourceCount = sourceCount
    self.sourceRoom = sourceRoom
    unsafe self.target = unsafe target
    self.limit = limit
  }

  /// Copies `length` bytes of the source, starting at `start`.
  @inline(__always)
  mutating func append(from start: Int, length: Int) {
    precondition(start >= 0 && length >= 0 && start <= sourceCount &- length && length <= limit &- count)
    let piece = unsafe source + start
    let place = unsafe target + count
    if length <= Self.shortLength, start &+ Self.shortLength <= sourceRoom {
      unsafe place.storeBytes(of: piece.loadUnaligned(as: SIMD64<UInt8>.self), as: SIMD64<UInt8>.self)
    } else {
      unsafe place.copyMemory(from: piece, byteCount: length)
    }
    count &+= length
  }
}
