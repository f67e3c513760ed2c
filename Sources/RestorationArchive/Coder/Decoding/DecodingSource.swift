#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// The bytes of a state record and what is needed to make sense of them, shared by all that decodes from it.
final class DecodingSource {
  /// The array that holds the record, and much else perhaps.
  let storage: [UInt8]
  /// The offset in the file of index 0 of `storage`.
  let fileOffset: Int
  let keys: KeyTable
  let isStrict: Bool
  let limits: ReaderLimits
  /// The node whose state it is, for errors.
  let path: RestorationPath
  let userInfo: [CodingUserInfoKey: Any]
  private let state: UncheckedBox<State>

  private struct State: ~Copyable {
    /// How many more values may be made.
    var budget: ValueBudget
    /// What is known of keys that were asked for; there is something only once dictionaries were read, of which more may come.
    var memories: ScratchArray<KeyMemory>
    /// One more than the number of the key that was asked for last.
    var lastKey = 0
  }

  /// What is known of a key that was asked for.
  struct KeyMemory: BitwiseCopyable {
    /// The number of the key that was asked for after it.
    var successor: UInt16 = 0
    /// Its place among the entries where it was found.
    var place: UInt16 = 0
  }

  init(record: VerifiedBytes, node: ArchivedNode, userInfo: [CodingUserInfoKey: Any]) {
    storage = record.storage
    fileOffset = record.fileOffset
    keys = node.archive.records.metadata.keys
    isStrict = node.archive.isStrict
    limits = node.archive.limits
    path = node.path
    self.userInfo = userInfo
    state = UncheckedBox(State(budget: ValueBudget(node.archive.limits), memories: ScratchArray(capacity: 0)))
  }

  // MARK: Values to be made

  /// Lets a call make as many values as one call may; returns what is left to the call that it was made within.
  func beginCall() -> ValueBudget {
    let outer = state.value.budget
    state.value.budget = ValueBudget(limits)
    return outer
  }

  /// Ends a call.
  func endCall(_ outer: ValueBudget) {
    state.value.budget = outer
  }

  /// Spends one value.
  @inline(__always)
  func spend() throws(FormatError) {
    try state.value.budget.spend()
  }

  // MARK: Keys

  /// Prepares for dictionaries that all have the same keys, as the elements of an array of structs do.
  func expectDictionaries() {
    if state.value.memories.count == 0 { state.value.memories.append(repeating: KeyMemory(), count: keys.count + 1) }
  }

  /// The number of a key of the key table, or nil if the table does not have it.
  ///
  /// Types ask for their fields in some steady order, so the key that came next the last time is tried first.
  @inline(__always)
  func keyNumber(of text: Span<UInt8>) -> Int? {
    if state.value.memories.count == 0 { return keys.index(of: text) }
    let guess = Int(state.value.memories[state.value.lastKey].successor)
    if keys.isKey(text, at: guess) {
      state.value.lastKey = guess &+ 1
      return guess
    }
    return searchKey(text)
  }

  @inline(never)
  private func searchKey(_ text: Span<UInt8>) -> Int? {
    guard let number = keys.index(of: text) else { return nil }
    state.value.memories[state.value.lastKey].successor = UInt16(truncatingIfNeeded: number)
    state.value.lastKey = number + 1
    return number
  }

  /// Where among the entries of a dictionary the key with this number was the last time.
  @inline(__always)
  func expectedPlace(ofKey number: Int) -> Int {
    number &+ 1 < state.value.memories.count ? Int(state.value.memories[number &+ 1].place) : 0
  }

  /// Notes where among the entries of a dictionary a key is.
  func notePlace(_ place: Int, ofKey number: Int) {
    if number &+ 1 < state.value.memories.count { state.value.memories[number &+ 1].place = UInt16(truncatingIfNeeded: place) }
  }

  // A span of a property of a class cannot leave the access to the property, hence the local copies of `storage` below.

  /// Reads the value at a cursor over the record.
  @inline(__always)
  func readValue(_ cursor: inout ByteCursor) throws(FormatError) -> RawValue {
    let storage = storage
    return try cursor.readValue(in: storage.span)
  }

  // MARK: Values as Swift types

  /// Why a value cannot be had as the type that was asked for.
  enum Mismatch: Error {
    /// It is of another type.
    case type
    /// It does not fit.
    case range
    /// It is text that does not denote such a value.
    case text
    /// The archive is at fault.
    case format(FormatError)
  }

  @inline(__always)
  func bool(_ value: RawValue) throws(Mismatch) -> Bool {
    guard case .bool = value.kind else { throw .type }
    return value.bits != 0
  }

  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ value: RawValue, as type: Value.Type = Value.self) throws(Mismatch) -> Value {
    switch value.kind {
    case .integer:
      guard let result = Value(exactly: value.bits) else { throw .range }
      return result
    case .negativeInteger:
      guard let result = Value(exactly: ~Int64(bitPattern: value.bits)) else { throw .range }
      return result
    default:
      return try wideInteger(value)
    }
  }

  /// An integer of more than 64 bits is text (rule R-2-1).
  private func wideInteger<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    guard case .string = value.kind, Value.bitWidth > 64 else { throw .type }
    let text = try string(value)
    guard let result = Value(text), "\(result)" == text else { throw .text }
    return result
  }

  @inline(__always)
  func double(_ value: RawValue) throws(Mismatch) -> Double {
    guard case .float64 = value.kind else { throw .type }
    return Double(bitPattern: value.bits)
  }

  /// A narrower number is had only if it is the same number.
  func float(_ value: RawValue) throws(Mismatch) -> Float {
    let wide = try double(value)
    let narrow = Float(wide)
    guard Double(narrow) == wide || wide.isNaN else { throw .range }
    return narrow
  }

  @inline(__always)
  func string(_ value: RawValue) throws(Mismatch) -> String {
    guard case .string = value.kind else { throw .type }
    return try text(value)
  }

  private func text(_ value: RawValue) throws(Mismatch) -> String {
    let storage = storage
    if let text = storage.span.extracting(value.payload).makeString() { return text }
    do throws(FormatError) {
      try ByteCursor(value.payload, fileOffset: fileOffset).validateText(
        in: storage.span, at: value.payload, "string")
    } catch {
      throw .format(error)
    }
    throw .text
  }

  /// A date, or the number as which a date encodes itself into an encoder that does not know its type.
  @inline(__always)
  func date(_ value: RawValue) throws(Mismatch) -> Date {
    guard value.kind == .date || value.kind == .float64 else { throw .type }
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: value.bits))
  }

  func data(_ value: RawValue) throws(Mismatch) -> Data {
    guard case .data = value.kind else { throw .type }
    let storage = storage
    return Data(bytes: storage.span.extracting(value.payload))
  }

  /// A uuid, or the text as which a uuid encodes itself into an encoder that does not know its type.
  func uuid(_ value: RawValue) throws(Mismatch) -> UUID {
    if case .string = value.kind {
      guard let uuid = UUID(uuidString: try text(value)) else { throw .text }
      return uuid
    }
    guard case .uuid = value.kind else { throw .type }
    let storage = storage
    let bytes = storage.span
    return UUID(bytes.uint64(at: value.payload.lowerBound), bytes.uint64(at: value.payload.lowerBound + 8))
  }

  func url(_ value: RawValue) throws(Mismatch) -> URL {
    guard case .url = value.kind else { throw .type }
    guard let url = URL(string: try text(value)) else { throw .text }
    return url
  }

  func decimal(_ value: RawValue) throws(Mismatch) -> Decimal {
    let text = try string(value)
    if text == "NaN" { return .nan }
    guard let decimal = Decimal(string: text), decimal.description == text else { throw .text }
    return decimal
  }

  func reference(_ value: RawValue) throws(Mismatch) -> RestorationPath {
    guard case .reference = value.kind else { throw .type }
    let storage = storage
    do throws(FormatError) {
      return try ValueReader.path(of: value, in: storage.span, fileOffset: fileOffset)
    } catch {
      throw .format(error)
    }
  }

  /// The value as one of the archive's own model.
  func archiveValue(_ value: RawValue, tagAt tag: Int) throws(FormatError) -> ArchiveValue {
    let storage = storage
    var reader = ValueReader(keys: keys, isStrict: isStrict, budget: ValueBudget(limits))
    return try reader.readValue(value, in: storage.span, fileOffset: fileOffset, tagAt: tag, depth: 0)
  }

  /// The value as one of the types that the format has its own form for.
  @inline(__always)
  func native<Value>(_ value: RawValue, _ native: NativeType, as type: Value.Type) throws(Mismatch) -> Value {
    switch native {
    case .string: sameType(try string(value), as: type)
    case .integer: sameType(try integer(value, as: Int.self), as: type)
    case .double: sameType(try double(value), as: type)
    case .bool: sameType(try bool(value), as: type)
    case .date: sameType(try date(value), as: type)
    case .data: sameType(try data(value), as: type)
    case .uuid: sameType(try uuid(value), as: type)
    case .url: sameType(try url(value), as: type)
    case .decimal: sameType(try decimal(value), as: type)
    }
  }
}
