import Locking
import Synchronization
import SystemLibrary

/// The recorder of the process's end, called by fatal-signal and `exit` handlers.
///
/// A handler may run at any instant, even within `malloc`. So its memory is allocated before a handler is installed,
/// and shared through atomic words: a handler takes no lock.
enum ExitRecorder {
  /// A progress file to record the end of the process in.
  ///
  /// `descriptor` is stored last and cleared first. A handler that runs in between finds no descriptor, or a file that
  /// does not match `device` and `inode`, and writes nothing.
  private struct Slot: ~Copyable {
    /// -1 if the slot is free.
    let descriptor = Atomic<Int32>(-1)
    let launch = Atomic<UInt64>(0)
    /// The identity of the file, because the system may have reused the descriptor for another file.
    let device = Atomic<UInt64>(0)
    let inode = Atomic<UInt64>(0)
  }

  private static let slotCount = 4
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    for index in 0..<slotCount { unsafe (slots + index).initialize(to: Slot()) }
    return unsafe slots
  }()
  /// The bytes that a handler writes; accessed by handlers only.
  nonisolated(unsafe) private static let bytes: UnsafeMutableRawPointer = {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: ExitRecord.byteCount, alignment: 8)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: ExitRecord.byteCount)
    return unsafe bytes
  }()
  /// The thread that last called a node.
  private static let thread = Atomic<UInt>(0)
  /// The process that began the launch; a forked child shares this memory and must not write.
  private static let process = Atomic<Int32>(0)
  /// Whether a fault is on record, which no later `exit` hides: an app's own handler may end in one.
  private static let hasFault = Atomic<Bool>(false)
  private static let changes = Lock(false)

  /// Starts recording the end of the process in a progress file.
  static func begin(_ descriptor: Int32, launch: UInt64) {
    guard let (device, inode) = identity(of: descriptor) else { return }
    changes.withLock { isInstalled in
      _ = unsafe bytes  // Allocated here, not by a handler.
      process.store(getpid(), ordering: .releasing)
      if !isInstalled {
        isInstalled = true
        _ = atexit { ExitRecorder.write(.exit) }
      }
      let index =
        (0..<slotCount).first { unsafe slots[$0].descriptor.load(ordering: .relaxed) == descriptor }
        ?? (0..<slotCount).first { unsafe slots[$0].descriptor.load(ordering: .relaxed) < 0 }
      guard let index else { return }
      unsafe slots[index].descriptor.store(-1, ordering: .sequentiallyConsistent)
      unsafe slots[index].launch.store(launch, ordering: .sequentiallyConsistent)
      unsafe slots[index].device.store(device, ordering: .sequentiallyConsistent)
      unsafe slots[index].inode.store(inode, ordering: .sequentiallyConsistent)
      unsafe slots[index].descriptor.store(descriptor, ordering: .sequentiallyConsistent)
    }
    noteThread()
  }

  /// Stops recording in a progress file that is about to be closed.
  static func end(_ descriptor: Int32) {
    changes.withLock { _ in
      for index in 0..<slotCount where unsafe slots[index].descriptor.load(ordering: .relaxed) == descriptor {
        unsafe slots[index].descriptor.store(-1, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Records that a node is about to be called on this thread.
  static func noteThread() {
    thread.store(currentThread, ordering: .relaxed)
  }

  private static var currentThread: UInt {
    #if canImport(Darwin) || canImport(Musl)
      unsafe UInt(bitPattern: pthread_self())
    #else
      unsafe UInt(bitPattern: Int(bitPattern: UnsafeRawPointer(bitPattern: UInt(pthread_self()))))
    #endif
  }

  private static func identity(of descriptor: Int32) -> (device: UInt64, inode: UInt64)? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Writes the end of the process; called from handlers.
  ///
  /// - Parameters:
  ///   - kind: The kind of handler.
  ///   - sender: The process that sent the signal, 0 for the system.
  static func write(_ kind: ExitRecord.Kind, sender: Int32 = 0) {
    let process = self.process.load(ordering: .acquiring)
    guard process == getpid(), kind == .fatalSignal || !hasFault.load(ordering: .sequentiallyConsistent) else { return }
    if kind == .fatalSignal { hasFault.store(true, ordering: .sequentiallyConsistent) }
    var flags: UInt32 = 0
    if sender != 0, sender != process { flags |= ExitRecord.otherFlag }
    if currentThread == thread.load(ordering: .relaxed) { flags |= ExitRecord.restoringThreadFlag }
    unsafe bytes.storeBytes(of: ExitRecord.mark.littleEndian, toByteOffset: 0, as: UInt64.self)
    unsafe bytes.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: ExitRecord.kindOffset, as: UInt32.self)
    unsafe bytes.storeBytes(of: flags.littleEndian, toByteOffset: ExitRecord.flagsOffset, as: UInt32.self)
    put()
  }

  /// Erases the record, because the process lives on.
  static func takeBack() {
    guard process.load(ordering: .acquiring) == getpid() else { return }
    hasFault.store(false, ordering: .sequentiallyConsistent)
    unsafe bytes.storeBytes(of: 0, toByteOffset: 0, as: UInt64.self)
    put()
  }

  private static func put() {
    var index = 0
    while index < slotCount {
      let descriptor = unsafe slots[index].descriptor.load(ordering: .sequentiallyConsistent)
      if descriptor >= 0 {
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0,
          unsafe UInt64(truncatingIfNeeded: status.st_dev) == slots[index].device.load(ordering: .sequentiallyConsistent),
          unsafe UInt64(truncatingIfNeeded: status.st_ino) == slots[index].inode.load(ordering: .sequentiallyConsistent)
        {
          let launch = unsafe slots[index].launch.load(ordering: .sequentiallyConsistent)
          unsafe bytes.storeBytes(of: launch.littleEndian, toByteOffset: ExitRecord.launchOffset, as: UInt64.self)
          _ = unsafe pwrite(descriptor, bytes, ExitRecord.byteCount, off_t(ExitRecord.offset))
        }
      }
      index += 1
    }
  }
}

/// The end of the process as recorded by a fatal-signal or `exit` handler, at the start of the progress file.
///
/// A handler can do very little, so the record has no checksum: if only the process is killed, 64 bytes within a page
/// are written completely or not at all.
package struct ExitRecord: Equatable, Sendable {
  /// The kind of handler that wrote the record.
  package enum Kind: UInt32, Sendable {
    case fatalSignal = 1
    case exit = 2
  }

  package var kind: Kind
  /// The launch that the record belongs to.
  package var launch: UInt64
  /// Whether another process sent the signal.
  package var isFromOther = false
  /// Whether the signal was raised on the restoring thread.
  package var isOnRestoringThread = false

  /// The offset in the progress file.
  package static let offset = 0
  package static let byteCount = 64
  static let mark: UInt64 = 0x6272_6561_6473_6967

  // The handler writes the same fields at the same offsets.
  static let launchOffset = 8
  static let kindOffset = 16
  static let flagsOffset = 36
  static let otherFlag: UInt32 = 1
  static let restoringThreadFlag: UInt32 = 2

  package init(_ kind: Kind, launch: UInt64, isFromOther: Bool = false, isOnRestoringThread: Bool = false) {
    (self.kind, self.launch) = (kind, launch)
    (self.isFromOther, self.isOnRestoringThread) = (isFromOther, isOnRestoringThread)
  }

  /// Parses a record; nil if there is none.
  package init?(_ bytes: [UInt8]) {
    let fields = FixedRecord(bytes)
    guard bytes.count >= Self.byteCount, fields.uint64(at: 0) == Self.mark, let kind = Kind(rawValue: fields.uint32(at: Self.kindOffset))
    else { return nil }
    let flags = fields.uint32(at: Self.flagsOffset)
    self.init(
      kind, launch: fields.uint64(at: Self.launchOffset), isFromOther: flags & Self.otherFlag != 0,
      isOnRestoringThread: flags & Self.restoringThreadFlag != 0)
  }

  /// The record as a handler writes it, for tests that simulate the end of a process.
  package var encoded: [UInt8] {
    var record = FixedRecord()
    record.append(Self.mark, launch, kind.rawValue)
    record.append(UInt64(0), UInt64(0))
    record.append((isFromOther ? Self.otherFlag : 0) | (isOnRestoringThread ? Self.restoringThreadFlag : 0))
    return record.bytes + [UInt8](repeating: 0, count: Self.byteCount - record.bytes.count)
  }
}

/// Records fatal signals in the progress file, and lets the process die as it would have.
///
/// The handler calls only async-signal-safe functions: `getpid`, `pthread_self`, `fstat`, `pwrite`, `sigaction`, `raise`.
enum FatalSignals {
  #if canImport(Darwin) || canImport(Glibc)
    private static let all: [Int32] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    private static let maximumSignals = 32
    private static let stackBytes = 1 << 16
    /// The previous actions, by signal.
    nonisolated(unsafe) private static let former: UnsafeMutablePointer<sigaction> = {
      let former = UnsafeMutablePointer<sigaction>.allocate(capacity: maximumSignals)
      unsafe former.initialize(repeating: sigaction(), count: maximumSignals)
      return unsafe former
    }()
    private static let isInstalled = Lock(false)

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
      ExitRecorder.write(.fatalSignal, sender: sender)
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
      // Not after `abort`, which ends the process although the handler returns.
      if unsafe sigaction(number, nil, &current) == 0, current.handlerAddress == own.handlerAddress,
        number != SIGABRT || !isSent || sender != getpid()
      {
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
