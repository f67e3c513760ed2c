#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat
import Storage

/// The bytes of a state record, and the context for decoding them, shared by all decoders of the record.
final class DecodingSource {
  /// The array that contains the record, and possibly much else.
  let storage: [UInt8]
  /// The file offset of index 0 of `storage`.
  let fileOffset: Int
  let keys: KeyTable
  let isStrict: Bool
  let limits: ReaderLimits
  /// The path of the state's node, for errors.
  let path: RestorationPath
  let userInfo: [CodingUserInfoKey: Any]
  private let state: UncheckedBox<State>

  private struct State: ~Copyable {
    /// The number of values that may still be created.
    var budget: ValueBudget
    /// The cache of requested keys; empty until dictionaries have been read and more may follow.
    var memories: ScratchArray<KeyMemory>
    /// One more than the number of the last requested key.
    var lastKey = 0
  }

  /// The cached facts about a requested key.
  struct KeyMemory: BitwiseCopyable {
    /// The number of the key requested next.
    var successor: UInt16 = 0
    /// The position of the key's entry when it was last found.
    var place: UInt16 = 0
  }

  init(record: VerifiedBytes, node: NodeReader, userInfo: [CodingUserInfoKey: Any]) {
    storage = record.storage
    fileOffset = record.fileOffset
    keys = node.archive.records.metadata.keys
    isStrict = node.archive.isStrict
    limits = node.archive.limits
    path = node.path
    self.userInfo = userInfo
    state = UncheckedBox(State(budget: ValueBudget(node.archive.limits), memories: ScratchArray(capacity: 0)))
  }

  // MARK: Value budget

  /// Gives a call a full value budget, and returns the rest of the enclosing call's budget.
  func beginCall() -> ValueBudget {
    let outer = state.value.budget
    state.value.budget = ValueBudget(limits)
    return outer
  }

  /// Ends a call and restores the enclosing call's budget.
  func endCall(_ outer: ValueBudget) {
    state.value.budget = outer
  }

  /// Counts one value against the budget.
  @inline(__always)
  func spend() throws(FormatError) {
    try state.value.budget.spend()
  }

  // MARK: Keys

  /// Prepares for dictionaries with the same keys, such as an array of structs.
  func expectDictionaries() {
    if state.value.memories.count == 0 { state.value.memories.append(repeating: KeyMemory(), count: keys.count + 1) }
  }

  /// Returns the number of a key in the key table, or nil if the table does not contain it.
  ///
  /// Types request their fields in a stable order, so the previous successor of the last key is tried first.
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

  /// Returns the position at which the key was last found among a dictionary's entries.
  @inline(__always)
  func expectedPlace(ofKey number: Int) -> Int {
    number &+ 1 < state.value.memories.count ? Int(state.value.memories[number &+ 1].place) : 0
  }

  /// Records the position of a key among a dictionary's entries.
  func notePlace(_ place: Int, ofKey number: Int) {
    if number &+ 1 < state.value.memories.count { state.value.memories[number &+ 1].place = UInt16(truncatingIfNeeded: place) }
  }

  // A span of a class property cannot outlive the access to the property, hence the local copies of `storage` below.

  /// Reads the value at a cursor over the record.
  @inline(__always)
  func readValue(_ cursor: inout ByteCursor) throws(FormatError) -> RawValue {
    let storage = storage
    return try cursor.readValue(in: storage.span)
  }

  // MARK: Values as Swift types

  /// The reason why a value cannot be decoded as the requested type.
  enum Mismatch: Error {
    /// The value has another type.
    case type
    /// The number does not fit the type.
    case range
    /// The text does not represent a value of the type.
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

  /// Returns an integer of a type wider than 64 bits, stored as a string (rule R-2-1).
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

  /// Returns a single-precision number, only if the conversion is exact.
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

  /// Returns a date, also from the number as which a date encodes itself when the encoder does not know its type.
  @inline(__always)
  func date(_ value: RawValue) throws(Mismatch) -> Date {
    guard value.kind == .date || value.kind == .float64 else { throw .type }
    return Date(float64Bits: value.bits)
  }

  func data(_ value: RawValue) throws(Mismatch) -> Data {
    guard case .data = value.kind else { throw .type }
    let storage = storage
    return Data(bytes: storage.span.extracting(value.payload))
  }

  /// Returns a UUID, also from the string as which a UUID encodes itself when the encoder does not know its type.
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

  /// Returns the value as a value of the archive's own model.
  func archiveValue(_ value: RawValue, tagAt tag: Int) throws(FormatError) -> ArchiveValue {
    let storage = storage
    var reader = ValueReader(keys: keys, isStrict: isStrict, budget: ValueBudget(limits))
    return try reader.readValue(value, in: storage.span, fileOffset: fileOffset, tagAt: tag, depth: 0)
  }

  /// Returns the value as one of the native types.
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
