/// Copies pieces of one ``OutputBuffer`` to the end of another, one behind the other.
///
/// Most entries are short. A short one is copied in steps of a fixed number, together with what lies behind it, which the next piece then
/// overwrites: that takes a fraction of a call to `memmove`, and a processor need not guess how long it is.
@safe struct PieceCopier: ~Copyable {
  /// How long a piece may be that is copied together with what lies behind it; the target has room for so many bytes beyond its limit.
  static let shortLength = 64

  private let source: UnsafeRawPointer
  /// How many bytes the source has, and how many of its memory can be read.
  private let sourceCount: Int
  private let sourceRoom: Int
  private let target: UnsafeMutableRawPointer
  private let limit: Int
  /// How many bytes were copied.
  private(set) var count = 0

  /// Makes a copier of a source of which `sourceRoom` bytes can be read, to a target that has room for `limit` and ``shortLength`` bytes.
  @unsafe @inline(__always)
  init(source: UnsafeRawPointer, sourceCount: Int, sourceRoom: Int, target: UnsafeMutableRawPointer, limit: Int) {
    unsafe self.source = unsafe source
    self.sourceCount = sourceCount
    self.sourceRoom = sourceRoom
    unsafe self.target = unsafe target
    self.limit = limit
  }

  /// Copies so many bytes of the source, from one index on.
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
