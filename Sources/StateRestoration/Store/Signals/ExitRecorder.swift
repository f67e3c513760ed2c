#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import Locking

/// What handlers of fatal signals and of `exit` need: memory that was allocated before, and nothing else.
///
/// A handler may run at any instant, within `malloc` too. So all of it lies behind constant pointers, is read without locks, and is set up
/// before a handler is installed.
enum ExitRecorder {
  /// A breadcrumb into which the end of the process is written.
  private struct Slot {
    /// -1 for none.
    var descriptor: Int32 = -1
    var launch: UInt64 = 0
    /// Tells the file from another one that has got its descriptor since.
    var device: UInt64 = 0
    var inode: UInt64 = 0
  }

  private static let slotCount = 4
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = unsafe makeSlots()
  nonisolated(unsafe) private static let bytes = UnsafeMutableRawPointer.allocate(byteCount: ExitRecord.byteCount, alignment: 8)
  /// The thread on which a node was called last.
  nonisolated(unsafe) private static let thread = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
  /// The process that has begun the launch: a child that was forked has its memory too.
  nonisolated(unsafe) private static let process: UnsafeMutablePointer<Int32> = unsafe makeProcess()
  private static let changes = Lock(false)

  private static func makeSlots() -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: Slot(), count: slotCount)
    return unsafe slots
  }

  private static func makeProcess() -> UnsafeMutablePointer<Int32> {
    let process = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    unsafe process.initialize(to: 0)
    return unsafe process
  }

  /// Has the end of the process written into a breadcrumb.
  static func begin(_ descriptor: Int32, launch: UInt64) {
    guard let (device, inode) = identity(of: descriptor) else { return }
    changes.withLock { isInstalled in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: ExitRecord.byteCount)
      unsafe process.pointee = getpid()
      if !isInstalled {
        isInstalled = true
        _ = atexit { ExitRecorder.write(.exit) }
      }
      let index =
        (0..<slotCount).first { unsafe slots[$0].descriptor == descriptor }
        ?? (0..<slotCount).first { unsafe slots[$0].descriptor < 0 }
      guard let index else { return }
      unsafe slots[index].descriptor = -1
      unsafe slots[index].launch = launch
      unsafe slots[index].device = device
      unsafe slots[index].inode = inode
      unsafe slots[index].descriptor = descriptor
    }
    noteThread()
  }

  /// Writes into a breadcrumb no more: it is about to be closed.
  static func end(_ descriptor: Int32) {
    changes.withLock { _ in
      for index in 0..<slotCount where unsafe slots[index].descriptor == descriptor { unsafe slots[index].descriptor = -1 }
    }
  }

  /// Notes that a node is about to be called on this thread.
  static func noteThread() {
    unsafe thread.pointee = currentThread
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
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

  /// Writes how the process ends; called from handlers.
  ///
  /// - Parameters:
  ///   - kind: What is written.
  ///   - signal: The signal.
  ///   - code: Where it comes from, as the system tells it.
  ///   - sender: The process that sent it, 0 for the system.
  static func write(_ kind: ExitRecord.Kind, signal: Int32 = 0, code: Int32 = 0, sender: Int32 = 0) {
    let process = unsafe self.process.pointee
    guard process == getpid() else { return }
    let here = currentThread
    var flags: UInt32 = 0
    if sender != 0, sender != process { flags |= ExitRecord.otherFlag }
    if unsafe here == thread.pointee { flags |= ExitRecord.restoringThreadFlag }
    unsafe bytes.storeBytes(of: ExitRecord.mark.littleEndian, toByteOffset: 0, as: UInt64.self)
    unsafe bytes.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: ExitRecord.kindOffset, as: UInt32.self)
    unsafe bytes.storeBytes(of: signal.littleEndian, toByteOffset: ExitRecord.signalOffset, as: Int32.self)
    unsafe bytes.storeBytes(of: code.littleEndian, toByteOffset: ExitRecord.codeOffset, as: Int32.self)
    unsafe bytes.storeBytes(of: sender.littleEndian, toByteOffset: ExitRecord.senderOffset, as: Int32.self)
    unsafe bytes.storeBytes(of: process.littleEndian, toByteOffset: ExitRecord.processOffset, as: Int32.self)
    unsafe bytes.storeBytes(of: flags.littleEndian, toByteOffset: ExitRecord.flagsOffset, as: UInt32.self)
    unsafe bytes.storeBytes(of: UInt64(here).littleEndian, toByteOffset: ExitRecord.threadOffset, as: UInt64.self)
    put()
  }

  /// Takes back what was written: the process lives on.
  static func takeBack() {
    guard unsafe process.pointee == getpid() else { return }
    unsafe bytes.storeBytes(of: 0, toByteOffset: 0, as: UInt64.self)
    put()
  }

  private static func put() {
    var index = 0
    while index < slotCount {
      let descriptor = unsafe slots[index].descriptor
      if descriptor >= 0 {
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0,
          unsafe UInt64(truncatingIfNeeded: status.st_dev) == slots[index].device,
          unsafe UInt64(truncatingIfNeeded: status.st_ino) == slots[index].inode
        {
          unsafe bytes.storeBytes(of: slots[index].launch.littleEndian, toByteOffset: ExitRecord.launchOffset, as: UInt64.self)
          _ = unsafe pwrite(descriptor, bytes, ExitRecord.byteCount, off_t(ExitRecord.offset))
        }
      }
      index += 1
    }
  }
}
