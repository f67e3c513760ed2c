import Storage

/// Numbers the types of nodes, and sorts them at the end (Spec §4.3.4).
///
/// The types of the previous archive come first, in table order; new types follow in order of first use.
final class TypeCollector {
  private let state = UncheckedBox(State())

  private struct State: ~Copyable {
    var tags = ByteInterner()
    var tagCache = KeyCache(isForFewKeys: false)
    var types: [TypeRecord] = []
    var entries = ScratchArray<Entry>(capacity: 16)
    /// For each number less one, whether the type was requested.
    ///
    /// (The only node with a requested type may have been removed since.)
    var isUsed = ScratchArray<Bool>(capacity: 16)
    var usedCount = 0
    /// The number of leading types that are in table order, which come from the previous archive.
    var sortedCount = 0
    /// For each tag, the number of the type with that tag that was added last.
    var lastNumbers = ScratchArray<UInt32>(capacity: 16)
    /// The numbers of the types that share their tag with another type.
    var numbers: [TypeRecord: UInt32] = [:]

    /// Whether the types are exactly those of the previous archive, so that their numbers are their table positions.
    var isUnchanged: Bool { sortedCount == types.count && usedCount == types.count }

    @inline(__always)
    mutating func tagNumber(_ tag: String) -> Int {
      tagCache.number(of: tag) ?? lookUp(tag)
    }

    @inline(never)
    private mutating func lookUp(_ tag: String) -> Int {
      let number = tag.withUTF8Bytes { tags.intern($0) }
      tagCache.remember(number, of: tag)
      return number
    }
  }

  /// The properties of a type that comparisons need.
  ///
  /// (Not private: the compiler loses private types of generic non-copyable members in debug builds.)
  struct Entry: BitwiseCopyable {
    let tag: UInt32
    let version: UInt32
    let number: UInt32
  }

  /// Returns the number of a type, from 1; a new type is added.
  func number(of tag: String, schemaVersion: UInt32) throws(FormatError) -> UInt32 {
    let tagNumber = state.value.tagNumber(tag)
    if tagNumber < state.value.lastNumbers.count {
      let number = state.value.lastNumbers[tagNumber]
      if number > 0, state.value.entries[Int(number) &- 1].version == schemaVersion {
        if !state.value.isUsed[Int(number) &- 1] { try noteUse(of: number) }
        return number
      }
    }
    return try addOrFind(TypeRecord(tag: tag, schemaVersion: schemaVersion), tag: tagNumber)
  }

  @inline(never)
  private func addOrFind(_ type: TypeRecord, tag: Int) throws(FormatError) -> UInt32 {
    if !state.value.numbers.isEmpty, let known = state.value.numbers[type] {
      if !state.value.isUsed[Int(known) - 1] { try noteUse(of: known) }
      return known
    }
    return try add(type, tag: tag)
  }

  /// Marks a type kept from the previous archive as used in this one.
  private func noteUse(of number: UInt32) throws(FormatError) {
    try checkRoom()
    state.value.isUsed[Int(number) - 1] = true
    state.value.usedCount += 1
  }

  /// Throws if the table has no room for another type.
  private func checkRoom() throws(FormatError) {
    guard state.value.usedCount < FormatLimits.typeTable else {
      throw FormatError(.tableSize, at: nil, "types", expected: "at most \(FormatLimits.typeTable)", rule: "R-4.3-12")
    }
  }

  private func add(_ type: TypeRecord, tag: Int) throws(FormatError) -> UInt32 {
    guard FormatLimits.typeTag.contains(type.tag.utf8.count) else {
      throw FormatError(
        .stringLength, at: nil, "type tag length", expected: "1 to \(FormatLimits.typeTag.upperBound) bytes",
        found: .number(type.tag.utf8.count))
    }
    try checkRoom()
    append(type, tag: tag)
    state.value.usedCount += 1
    return UInt32(state.value.types.count)
  }

  /// Assigns the next number to a type.
  private func append(_ type: TypeRecord, tag: Int) {
    while tag >= state.value.lastNumbers.count { state.value.lastNumbers.append(0) }
    state.value.types.append(type)
    state.value.isUsed.append(true)
    let number = UInt32(state.value.types.count)
    state.value.entries.append(Entry(tag: UInt32(truncatingIfNeeded: tag), version: type.schemaVersion, number: number))
    let previous = state.value.lastNumbers[tag]
    if previous > 0 {
      state.value.numbers[state.value.types[Int(previous) - 1]] = previous
      state.value.numbers[type] = number
    }
    state.value.lastNumbers[tag] = number
  }

  /// The maximum number of types, and of tags, that are kept for the next archive.
  private static let maximumKept = 256

  /// Prepares for the next archive: keeps the types that were requested, numbered in table order, or none if there are
  /// too many.
  func reset() {
    if !state.value.isUnchanged || state.value.tags.count > Self.maximumKept {
      let kept = sorted().types
      if max(kept.count, state.value.tags.count) <= Self.maximumKept {
        forgetTypes()
        for type in kept { append(type, tag: state.value.tagNumber(type.tag)) }
        state.value.sortedCount = kept.count
      } else {
        state.value = State()
      }
    }
    state.value.tagCache.makeRoom()
    for index in 0..<state.value.isUsed.count { state.value.isUsed[index] = false }
    state.value.usedCount = 0
  }

  /// Removes all types, but keeps the numbers of their tags.
  private func forgetTypes() {
    state.value.types = []
    state.value.entries.truncate(to: 0)
    state.value.isUsed.truncate(to: 0)
    for tag in 0..<state.value.lastNumbers.count { state.value.lastNumbers[tag] = 0 }
    state.value.numbers = [:]
  }

  /// Returns the types that were requested, in table order, and the table position of each number, from 1; 0 stays 0.
  func sorted() -> (types: [TypeRecord], places: [UInt16]) {
    if state.value.isUnchanged { return (state.value.types, Array(0...UInt16(state.value.types.count))) }
    var order = ScratchArray<Entry>(capacity: state.value.entries.count)
    for index in 0..<state.value.entries.count where state.value.isUsed[index] { order.append(state.value.entries[index]) }
    if order.count <= 64 {
      order.binaryInsertionSort { precedes($0, $1) }
    } else {
      order.sort(0..<order.count) { precedes($0, $1) }
    }
    var types: [TypeRecord] = []
    types.reserveCapacity(order.count)
    var places = [UInt16](repeating: 0, count: state.value.entries.count + 1)
    for place in 0..<order.count {
      let number = Int(order[place].number)
      types.append(state.value.types[number - 1])
      places[number] = UInt16(place + 1)
    }
    return (types, places)
  }

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.tag == right.tag { return left.version < right.version }
    return state.value.tags.compare(Int(left.tag), Int(right.tag)) < 0
  }
}

/// Numbers the origins of nodes in order of first use, and sorts them at the end (Spec §4.3.3).
final class OriginCollector {
  private var origins: [OriginRecord] = []
  private var numbers: [OriginRecord: UInt16] = [:]

  /// Returns the number of an origin, from 1; a new origin is added.
  func number(of origin: OriginRecord) throws(FormatError) -> UInt16 {
    if let known = numbers[origin] { return known }
    let length = origin.bundleVersion?.utf8.count ?? 0
    guard FormatLimits.originBundleVersion.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "bundle version length", expected: "at most \(FormatLimits.originBundleVersion.upperBound) bytes",
        found: .number(length))
    }
    guard origins.count < FormatLimits.typeTable else {
      throw FormatError(.tableSize, at: nil, "origins", expected: "at most \(FormatLimits.typeTable)", rule: "R-4.3-11")
    }
    origins.append(origin)
    let number = UInt16(origins.count)
    numbers[origin] = number
    return number
  }

  /// Removes all origins.
  func reset() {
    origins = []
    numbers = [:]
  }

  /// Returns the origins in table order, and the table position of each number, from 1; 0 stays 0.
  func sorted() -> (origins: [OriginRecord], places: [UInt16]) {
    if origins.isEmpty { return ([], [0]) }
    let encoded = origins.map(\.encoded)
    let order = origins.indices.sorted { left, right in
      let (first, second) = (encoded[left], encoded[right])
      return first.span.precedes(second.span)
    }
    var places = [UInt16](repeating: 0, count: origins.count + 1)
    for (place, index) in order.enumerated() { places[index + 1] = UInt16(place + 1) }
    return (order.map { origins[$0] }, places)
  }
}
