#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension RestorationStore {
  /// The file that a writer locks; its content names the process.
  static let lockName = "lock"
  private static let holderLength = 128

  /// Makes this process the one that writes.
  func lock(_ state: inout State) throws(StoreError) {
    guard access == .writing else { throw .readingOnly }
    guard state.lockFile == nil else { return }
    let file = try system { () throws(FileSystemError) in
      try folder.make()
      return try folder.open(Self.lockName, .update)
    }
    do throws(StoreError) {
      let isOurs = try system { () throws(FileSystemError) in
        try folder.again { () throws(FileSystemError) in try folder.system.lock(file) }
      }
      guard isOurs else {
        noteOtherWriters(&state)
        throw .inUse(by: Self.holder(in: (try? folder.read(Self.lockName)) ?? []))
      }
    } catch {
      folder.system.close(file)
      throw error
    }
    state.lockFile = file
    // Only for the words of an error in another process: that it cannot be written does no harm.
    try? folder.write(Self.holderText, to: file, at: 0)
  }

  /// Takes back what is only true as long as no other process writes: what is there afterwards may be newer than what was to be forgotten, or
  /// than what a file was pinned for, and a number may be that of another file.
  func noteOtherWriters(_ state: inout State) {
    state.current = [:]
    state.forgotten = [:]
    state.pinnedFor = [:]
    state.passedOver = [:]
  }

  private static var holderText: [UInt8] {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "process"
    let text = Array("\(program), process \(getpid())".utf8.prefix(holderLength - 1)) + [0x0A]
    return text + [UInt8](repeating: 0x20, count: holderLength - text.count)
  }

  private static func holder(in bytes: [UInt8]) -> String {
    let line = String(decoding: bytes.prefix(holderLength).prefix { $0 != 0x0A }, as: UTF8.self)
    return line.isEmpty ? "another process" : line
  }
}
