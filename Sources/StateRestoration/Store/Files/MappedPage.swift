import Locking
import Synchronization
import SystemLibrary

/// The first page of a file in memory, to store words in the file without a system call.
///
/// What is stored survives the process, however it dies. A process that another one truncates the file for would die of
/// SIGBUS at the next store; ``replaceFaulty(at:)`` lets a signal handler prevent that. A forked child has a page of its
/// own, which is in no file.
@safe package final class MappedPage: Sendable {
  /// The number of bytes that can be stored.
  package static let byteCount = 4096
  /// The number of pages that a process can have at the same time.
  private static let maximumCount = 16
  /// The addresses of all pages; 0 for a free place.
  ///
  /// Signal handlers and forked children read them, so no lock guards them.
  nonisolated(unsafe) private static let addresses: UnsafeMutablePointer<Atomic<UInt>> = {
    let addresses = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: maximumCount)
    for place in 0..<maximumCount { unsafe (addresses + place).initialize(to: Atomic(0)) }
    return unsafe addresses
  }()
  private static let isPrepared = Lock(false)
  private static let hasForked = Atomic<Bool>(false)

  /// Whether this process is a forked child of one that watches for that.
  package static var isForked: Bool { hasForked.load(ordering: .relaxed) }

  private let address: UInt

  /// Maps the first page of an open file, whose bytes must have their place on the disk; nil if that is not possible.
  package init?(of descriptor: Int32) {
    Self.watchForks()
    guard !Self.isForked, let base = unsafe Self.map(descriptor) else { return nil }
    address = UInt(bitPattern: base)
    for place in 0..<Self.maximumCount
    where unsafe Self.addresses[place].compareExchange(expected: 0, desired: address, ordering: .sequentiallyConsistent).exchanged {
      return
    }
    return nil
  }

  deinit {
    for place in 0..<Self.maximumCount {
      _ = unsafe Self.addresses[place].compareExchange(expected: address, desired: 0, ordering: .sequentiallyConsistent)
    }
    _ = unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), Self.byteCount)
  }

  /// Stores a word at an offset that is a multiple of eight.
  @inline(__always)
  package func store(_ word: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset <= Self.byteCount - 8 && offset & 7 == 0)
    // One instruction, so a process dies before or after it.
    let place = unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: address &+ UInt(bitPattern: offset))
    unsafe place?.pointee.store(word, ordering: .relaxed)
  }

  /// The result of a mapping that failed.
  private static var failure: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: -1) }

  private static func map(_ descriptor: Int32) -> UnsafeMutableRawPointer? {
    let base = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return unsafe base == failure ? nil : base
  }

  // MARK: Faults and forks

  /// Replaces a page whose file has been truncated by one that is in no file; returns whether the fault was in a page.
  ///
  /// Called by the handler of SIGBUS: it takes no lock and allocates nothing.
  static func replaceFaulty(at fault: UInt) -> Bool {
    var place = 0
    while place < maximumCount {
      let address = unsafe addresses[place].load(ordering: .sequentiallyConsistent)
      if address != 0, fault >= address, fault - address < UInt(byteCount) { return replace(address) }
      place += 1
    }
    return false
  }

  private static func replace(_ address: UInt) -> Bool {
    let base = unsafe UnsafeMutableRawPointer(bitPattern: address)
    #if canImport(Darwin)
      let flags = MAP_FIXED | MAP_PRIVATE | MAP_ANON
    #else
      let flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS
    #endif
    return unsafe mmap(base, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0) != failure
  }

  /// Gives forked children pages of their own, and lets them know what they are.
  package static func watchForks() {
    isPrepared.withLock { isPrepared in
      guard !isPrepared else { return }
      isPrepared = true
      _ = unsafe addresses
      _ = pthread_atfork(nil, nil) { MappedPage.leaveParent() }
    }
  }

  private static func leaveParent() {
    hasForked.store(true, ordering: .relaxed)
    var place = 0
    while place < maximumCount {
      let address = unsafe addresses[place].load(ordering: .sequentiallyConsistent)
      if address != 0 { _ = replace(address) }
      place += 1
    }
  }
}
