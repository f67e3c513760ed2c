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
  /// The signal.
  package var signal: Int32 = 0
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
  static let signalOffset = 20
  static let codeOffset = 24
  static let senderOffset = 28
  static let processOffset = 32
  static let flagsOffset = 36
  static let threadOffset = 40
  static let otherFlag: UInt32 = 1
  static let restoringThreadFlag: UInt32 = 2

  package init(_ kind: Kind, launch: UInt64, signal: Int32 = 0, isFromOther: Bool = false, isOnRestoringThread: Bool = false) {
    self.kind = kind
    self.launch = launch
    self.signal = signal
    self.isFromOther = isFromOther
    self.isOnRestoringThread = isOnRestoringThread
  }

  /// Parses a record; nil if there is none.
  package init?(_ bytes: [UInt8]) {
    let fields = FixedRecord(bytes)
    guard bytes.count >= Self.byteCount, fields.uint64(at: 0) == Self.mark, let kind = Kind(rawValue: fields.uint32(at: Self.kindOffset))
    else { return nil }
    let flags = fields.uint32(at: Self.flagsOffset)
    self.init(
      kind, launch: fields.uint64(at: Self.launchOffset), signal: Int32(bitPattern: fields.uint32(at: Self.signalOffset)),
      isFromOther: flags & Self.otherFlag != 0, isOnRestoringThread: flags & Self.restoringThreadFlag != 0)
  }

  /// The record as a handler writes it, for tests that simulate the end of a process.
  package var encoded: [UInt8] {
    var record = FixedRecord()
    record.append(Self.mark)
    record.append(launch)
    record.append(kind.rawValue)
    record.append(UInt32(bitPattern: signal))
    record.append(UInt64(0))
    record.append(UInt32(0))
    record.append((isFromOther ? Self.otherFlag : 0) | (isOnRestoringThread ? Self.restoringThreadFlag : 0))
    record.append(UInt64(0))
    record.append(UInt64(0))
    record.append(UInt64(0))
    return record.bytes
  }
}
