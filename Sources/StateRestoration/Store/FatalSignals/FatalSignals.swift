import Locking
import SystemLibrary

/// Records fatal signals in the progress file, and lets the process die as it would have.
///
/// The handler calls only async-signal-safe functions: `getpid`, `pthread_self`, `fstat`, `pwrite`, `sigaction`, `raise`.
enum FatalSignals {
  #if canImport(Darwin) || canImport(Glibc)
    private static let all: [Int32] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    private static let maximumSignals = 32
    private static let stackBytes = 1 << 16
    /// The previous actions, by signal.
    nonisolated(unsafe) private static let former: UnsafeMutablePointer<sigaction> = unsafe makeFormer()
    private static let isInstalled = Lock(false)

    private static func makeFormer() -> UnsafeMutablePointer<sigaction> {
      let former = UnsafeMutablePointer<sigaction>.allocate(capacity: maximumSignals)
      unsafe former.initialize(repeating: sigaction(), count: maximumSignals)
      return unsafe former
    }

    /// Installs the handler, once.
    static func install() {
      giveThreadAStack()
      isInstalled.withLock { isInstalled in
        guard !isInstalled else { return }
        isInstalled = true
        for signal in all {
          var action = sigaction()
          set(&action)
          unsafe sigemptyset(&action.sa_mask)
          action.sa_flags = SA_ONSTACK | SA_SIGINFO
          var old = sigaction()
          // Stored first, because the handler reads it.
          guard unsafe sigaction(signal, nil, &old) == 0 else { continue }
          unsafe former[Int(signal)] = old
          _ = unsafe sigaction(signal, &action, nil)
        }
      }
    }

    /// Gives this thread an alternate signal stack, unless it has one, so that a handler can run after a stack
    /// overflow.
    private static func giveThreadAStack() {
      // Not allowed on the two systems; a handler does not run there after a stack overflow.
      #if !os(tvOS) && !os(watchOS)
        var known = unsafe stack_t()
        guard unsafe sigaltstack(nil, &known) == 0, unsafe known.ss_flags & Int32(SS_DISABLE) != 0 else { return }
        var stack = unsafe stack_t()
        unsafe stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stackBytes, alignment: 16)
        unsafe stack.ss_size = numericCast(stackBytes)
        _ = unsafe sigaltstack(&stack, nil)
      #endif
    }

    private static func set(_ action: inout sigaction) {
      #if canImport(Darwin)
        unsafe action.__sigaction_u.__sa_sigaction = { unsafe FatalSignals.handle($0, $1, $2) }
      #else
        unsafe action.__sigaction_handler.sa_sigaction = { unsafe FatalSignals.handle($0, $1, $2) }
      #endif
    }

    private static func handle(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?) {
      let error = errno
      defer { errno = error }
      // Someone has truncated the file of the record: the store goes nowhere, and the process lives on.
      if number == SIGBUS, MappedPage.replaceFaulty(at: unsafe faultAddress(info)) { return }
      let code = unsafe info?.pointee.si_code ?? 0
      // Signals raised by the system itself have a positive code.
      let isSent = code <= 0
      var sender: Int32 = 0
      if isSent, let info = unsafe info {
        #if canImport(Darwin)
          sender = unsafe info.pointee.si_pid
        #else
          sender = unsafe info.pointee._sifields._kill.si_pid
        #endif
      }
      let old = unsafe former[Int(number)]
      let function = old.handlerAddress
      if function == 1, isSent { return }
      ExitRecorder.write(.fatalSignal, signal: number, code: code, sender: sender)
      if function <= 1 {
        // The signal is blocked until this handler returns, and then ends the process before anything else runs.
        var action = sigaction()
        _ = unsafe sigaction(number, &action, nil)
        _ = raise(number)
        return
      }
      unsafe call(old, number, info, context)
      // If the previous handler returns with this handler still installed, the process lives on.
      var current = sigaction()
      var own = sigaction()
      set(&own)
      if unsafe sigaction(number, nil, &current) == 0, current.handlerAddress == own.handlerAddress {
        ExitRecorder.takeBack()
      }
    }

    /// Returns the address that a fault was at.
    private static func faultAddress(_ info: UnsafeMutablePointer<siginfo_t>?) -> UInt {
      #if canImport(Darwin)
        unsafe UInt(bitPattern: info?.pointee.si_addr)
      #else
        unsafe UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
      #endif
    }

    private static func call(
      _ action: sigaction, _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
    ) {
      let hasInformation = action.sa_flags & Int32(SA_SIGINFO) != 0
      #if canImport(Darwin)
        if hasInformation {
          unsafe action.__sigaction_u.__sa_sigaction(number, info, context)
        } else {
          unsafe action.__sigaction_u.__sa_handler(number)
        }
      #else
        if hasInformation {
          unsafe action.__sigaction_handler.sa_sigaction(number, info, context)
        } else {
          unsafe action.__sigaction_handler.sa_handler(number)
        }
      #endif
    }
  #else
    /// Does nothing: this system has no such signals.
    static func install() {}
  #endif
}
