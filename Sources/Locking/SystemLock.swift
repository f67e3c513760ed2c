import SystemLibrary

/// The operating system's lock, in a separate allocation because it must not move.
///
/// WebAssembly without threads needs no lock.
@safe @usableFromInline
struct SystemLock {
  #if canImport(Darwin)
    private let address: os_unfair_lock_t

    @usableFromInline
    init() {
      unsafe address = .allocate(capacity: 1)
      unsafe address.initialize(to: os_unfair_lock())
    }

    @usableFromInline
    func lock() { unsafe os_unfair_lock_lock(address) }

    @usableFromInline
    func lockIfFree() -> Bool { unsafe os_unfair_lock_trylock(address) }

    @usableFromInline
    func unlock() { unsafe os_unfair_lock_unlock(address) }

    @usableFromInline
    func destroy() { unsafe address.deallocate() }
  #elseif canImport(WinSDK)
    private let address: UnsafeMutablePointer<SRWLOCK>

    @usableFromInline
    init() {
      unsafe address = .allocate(capacity: 1)
      unsafe InitializeSRWLock(address)
    }

    @usableFromInline
    func lock() { unsafe AcquireSRWLockExclusive(address) }

    @usableFromInline
    func lockIfFree() -> Bool { unsafe TryAcquireSRWLockExclusive(address) != 0 }

    @usableFromInline
    func unlock() { unsafe ReleaseSRWLockExclusive(address) }

    @usableFromInline
    func destroy() { unsafe address.deallocate() }
  #elseif os(WASI)
    @usableFromInline
    init() {}

    @usableFromInline
    func lock() {}

    @usableFromInline
    func lockIfFree() -> Bool { true }

    @usableFromInline
    func unlock() {}

    @usableFromInline
    func destroy() {}
  #else
    private let address: UnsafeMutablePointer<pthread_mutex_t>

    @usableFromInline
    init() {
      unsafe address = .allocate(capacity: 1)
      var attributes = pthread_mutexattr_t()
      unsafe pthread_mutexattr_init(&attributes)
      #if DEBUG
        // Locking twice on the same thread becomes an error instead of a deadlock. Debug builds only: the check takes
        // longer than the lock.
        unsafe pthread_mutexattr_settype(&attributes, numericCast(PTHREAD_MUTEX_ERRORCHECK))
      #endif
      let result = unsafe pthread_mutex_init(address, &attributes)
      precondition(result == 0, "a mutex cannot be made: error \(result)")
      unsafe pthread_mutexattr_destroy(&attributes)
    }

    @usableFromInline
    func lock() {
      let result = unsafe pthread_mutex_lock(address)
      precondition(result == 0, "a mutex cannot be locked: error \(result)")
    }

    @usableFromInline
    func lockIfFree() -> Bool { unsafe pthread_mutex_trylock(address) == 0 }

    @usableFromInline
    func unlock() {
      let result = unsafe pthread_mutex_unlock(address)
      precondition(result == 0, "a mutex cannot be unlocked: error \(result)")
    }

    @usableFromInline
    func destroy() {
      unsafe pthread_mutex_destroy(address)
      unsafe address.deallocate()
    }
  #endif
}
