import Foundation
import SystemLibrary

/// Copies bytes into fresh memory: a lower bound for every encoder and decoder.
enum MemoryCopy {
  static func copy(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        count = unsafe target.initialize(from: source).1
      }
    }
  }
}

/// Visits every value of the model without encoding it: a cost of every encoder.
enum ModelWalk {
  static func walk(_ nodes: [BenchNode]) -> Int {
    var sum = 0
    for index in nodes.indices { add(nodes[index], &sum) }
    return sum
  }

  private static func add(_ node: BenchNode, _ sum: inout Int) {
    sum &+= node.identifier.utf8.count
    for index in node.entries.indices {
      sum &+= touch(node.entries[index].key)
      add(node.entries[index].value, &sum)
    }
    for index in node.children.indices { add(node.children[index], &sum) }
  }

  private static func add(_ value: BenchValue, _ sum: inout Int) {
    switch value {
    case .string(let value): sum &+= touch(value)
    case .integer(let value): sum &+= value
    case .double(let value): sum &+= Int(value)
    case .bool(let value): sum &+= value ? 1 : 0
    case .date(let value): sum &+= Int(value.timeIntervalSinceReferenceDate)
    case .data(let value): sum &+= value.count
    case .selection(let value): sum &+= value.row &+ touch(value.identifier)
    case .array(let elements): for index in elements.indices { add(elements[index], &sum) }
    case .dictionary(let entries):
      for index in entries.indices {
        sum &+= touch(entries[index].key)
        add(entries[index].value, &sum)
      }
    }
  }

  @inline(never)
  private static func touch(_ text: String) -> Int {
    unsafe text.utf8.withContiguousStorageIfAvailable { unsafe Int($0[0]) } ?? 0
  }
}

/// The minimal system calls to replace a file durably.
enum BareWrite {
  static func write(_ data: Data, to path: String) throws {
    let temporary = path + ".tmp"
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    try unsafe data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe bytes.baseAddress.map { unsafe Foundation.write(file, $0 + written, bytes.count - written) } ?? 0
        guard count > 0 else { throw POSIXError.last }
        written += count
      }
    }
    guard fsync(file) == 0, unsafe rename(temporary, path) == 0 else { throw POSIXError.last }
    let folder = unsafe open((path as NSString).deletingLastPathComponent, O_RDONLY)
    guard folder >= 0 else { throw POSIXError.last }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw POSIXError.last }
  }
}

extension POSIXError {
  /// The error of the last failed system call.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
