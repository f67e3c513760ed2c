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
import Synchronization

/// The record of how the process ends, written by handlers of fatal signals and of `exit`.
///
/// A handler may run at any instant, within `malloc` too. So its memory is allocated before a handler is installed, and is shared through
/// atomic words: a handler takes no lock.
enum ExitRecorder {
  /// A breadcrumb into which the end of the process is written.
  ///
  /// `descriptor` is stored last and cleared first. A handler that runs in between finds either no descriptor or a file that is not the one
  /// of `device` and `inode`, and writes nothing.
  private struct Slot: ~Copyable {
    /// -1 for none.
    let descriptor = Atomic<Int32>(-1)
    let launch = Atomic<UInt64>(0)
    /// The file of the descriptor, which the system may since have given to another file.
    let device = Atomic<UInt64>(0)
    let inode = Atomic<UInt64>(0)
  }

  private static let slotCount = 4
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = unsafe makeSlots()
  /// The bytes that a handler writes; used by handlers only.
  nonisolated(unsafe) private static let bytes: UnsafeMutableRawPointer = unsafe makeBytes()
  /// The thread that called a node last.
  private static let thread = Atomic<UInt>(0)
  /// The process that began the launch; a forked child shares this memory and must not write.
  private static let process = Atomic<Int32>(0)
  private static let changes = Lock(false)

  private static func makeSlots() -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    for index in 0..<slotCount { unsafe (slots + index).initialize(to: Slot()) }
    return unsafe slots
  }

  private static func makeBytes() -> UnsafeMutableRawPointer {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: ExitRecord.byteCount, alignment: 8)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: ExitRecord.byteCount)
    return unsafe bytes
  }

  /// Has the end of the process written into a breadcrumb.
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

  /// Writes into a breadcrumb no more: it is about to be closed.
  static func end(_ descriptor: Int32) {
    changes.withLock { _ in
      for index in 0..<slotCount where unsafe slots[index].descriptor.load(ordering: .relaxed) == descriptor {
        unsafe slots[index].descriptor.store(-1, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Notes that a node is about to be called on this thread.
  static func noteThread() {
    thread.store(currentThread, ordering: .relaxed)
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
    let process = self.process.load(ordering: .acquiring)
    guard process == getpid() else { return }
    let here = currentThread
    var flags: UInt32 = 0
    if sender != 0, sender != process { flags |= ExitRecord.otherFlag }
    if here == thread.load(ordering: .relaxed) { flags |= ExitRecord.restoringThreadFlag }
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
    guard process.load(ordering: .acquiring) == getpid() else { return }
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
