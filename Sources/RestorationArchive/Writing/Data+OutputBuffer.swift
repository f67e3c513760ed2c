#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat
import Storage

extension Data {
  /// Takes ownership of the bytes without copying them, and leaves the buffer empty.
  init(taking buffer: borrowing OutputBuffer) {
    let memory = unsafe buffer.takeMemory()
    guard let address = unsafe memory.bytes.baseAddress else {
      self.init()
      return
    }
    nonisolated(unsafe) let block = unsafe memory.block
    unsafe self.init(bytesNoCopy: address, count: memory.bytes.count, deallocator: .custom { _, _ in unsafe RawMemory.deallocate(block) })
  }
}
