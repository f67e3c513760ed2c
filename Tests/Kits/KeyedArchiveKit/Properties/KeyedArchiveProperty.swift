import Foundation
public import KeyedArchive
import RestorationArchive

/// A property that must hold for all bytes, property lists or not.
///
/// A violation is thrown; a trap or hang is also one, which the caller observes.
public enum KeyedArchiveProperty: String, CaseIterable, Sendable {
  /// Reading a property list ends with a list or an error that has a place; the slow reader agrees; a strict reader
  /// refuses exactly the lists with oddities; writing a list and reading it again gives the same list.
  case propertyList = "property-list"
  /// The import ends with a tree or an error; a tree that can be stored is a valid archive, whose layout as a keyed
  /// archive gives it back.
  case stateImport = "import"

  /// A violation.
  public struct Violation: Error, CustomStringConvertible {
    /// What does not hold.
    public let description: String

    static func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws {
      if !isSo { throw Violation(description: words()) }
    }
  }

  /// Throws if the property does not hold for `bytes`.
  public func check(_ bytes: [UInt8]) throws {
    switch self {
    case .propertyList: try Self.checkPropertyList(bytes)
    case .stateImport: try Self.checkImport(bytes)
    }
  }

  // MARK: Property lists

  private static func checkPropertyList(_ bytes: [UInt8]) throws {
    let list: PropertyList
    do {
      list = try PropertyList(decoding: bytes)
    } catch {
      try Violation.require((0...bytes.count).contains(error.offset ?? -1), "\(error): no place in the file")
      try compare(bytes, with: error.kind == .limit ? nil : .some(nil))
      let isRefused = (try? PropertyList(decoding: bytes, tolerance: .strict)) == nil
      try Violation.require(isRefused, "a strict reader accepts what is refused: \(error)")
      try checkSalvage(bytes, against: nil)
      return
    }
    let written = Result { try list.encodedBinary() }
    try checkSalvage(bytes, against: (list, try? written.get()))
    try compare(bytes, with: .some(list))
    try compareStrict(bytes, with: list, written)
    for oddity in list.oddities {
      try Violation.require((0...bytes.count).contains(oddity.fault.offset ?? -1), "\(oddity): no place in the file")
    }
    if list.oddities.contains(where: { $0.fault.code == .repeatedKey }) {
      // Written only if nothing refers to the dictionary.
      guard let written = try? written.get() else { return }
      let isWritten = (try? PropertyList(decoding: written, tolerance: .strict)) != nil
      return try Violation.require(isWritten, "a list with a repeated key is written")
    }
    let again = try PropertyList(decoding: written.get())
    try Violation.require(again.encodedBinary() == written.get(), "the list changes when it is written twice")
  }

  /// Compares with the slow reader: a list, nil for a refusal, no comparison for a limit of the library's.
  private static func compare(_ bytes: [UInt8], with list: PropertyList??) throws {
    guard let list, bytes.count <= 4096, bytes.starts(with: "bplist0".utf8) else { return }
    do {
      let (slow, isOdd) = try SlowPropertyList.readWithOddities(bytes)
      guard let list else { throw Violation(description: "the slow reader accepts the file") }
      try Violation.require(list.plain(depth: 0, list.top) == slow, "the slow reader reads another list")
      try Violation.require(isOdd == !list.oddities.isEmpty, "the slow reader has oddities: \(isOdd)")
    } catch SlowPropertyList.Refusal.tooLarge {
    } catch SlowPropertyList.Refusal.invalid(let reason) {
      try Violation.require(list == nil, "the slow reader refuses the file: \(reason)")
    }
  }

  /// Salvage takes a list that can be read as it is, and of any other one says what is lost.
  private static func checkSalvage(_ bytes: [UInt8], against read: (list: PropertyList, written: [UInt8]?)?) throws {
    guard let salvaged = try? PropertyList(decoding: bytes, tolerance: .salvage) else {
      return try Violation.require(read == nil, "a list that can be read cannot be salvaged")
    }
    if let (list, written) = read {
      // Objects that nothing refers to may differ; they are not written.
      try Violation.require((try? salvaged.encodedBinary()) == written, "salvage gives another list")
      try Violation.require(salvaged.oddities.count >= list.oddities.count, "salvage reports less")
    } else {
      try Violation.require(!salvaged.oddities.isEmpty, "a loss is not reported")
    }
    // The XML form of what is left is a list with the same values, unless it is much larger or has a null.
    guard let xml = try? salvaged.encodedXML() else { return }
    let again = try PropertyList(decoding: xml.bytes)
    if xml.cutDates == 0, bytes.count <= 4096, let written = try? again.encodedXML() {
      try Violation.require(written.bytes == xml.bytes, "the XML form changes when it is written twice")
    }
  }

  /// A strict reader refuses a list with oddities, with the first fault of one of them, and reads any other list alike.
  private static func compareStrict(_ bytes: [UInt8], with list: PropertyList, _ written: Result<[UInt8], any Error>) throws {
    let strict: PropertyList
    do {
      strict = try PropertyList(decoding: bytes, tolerance: .strict)
    } catch {
      return try Violation.require(list.oddities.contains { $0.fault == error }, "a strict reader refuses what is no oddity: \(error)")
    }
    try Violation.require(list.oddities.isEmpty, "a strict reader accepts an oddity")
    // A number that is none is equal to itself only as bytes.
    let isEqual = try strict.objects.count == list.objects.count && strict.encodedBinary() == written.get()
    try Violation.require(isEqual, "a strict reader reads another list")
  }

  // MARK: Import

  /// The first bytes of an input that is a saved state of AppKit: records in plaintext, which are encrypted here.
  public static let savedStateMark = Array("ASAV".utf8)

  private static func checkImport(_ bytes: [UInt8]) throws {
    // Mostly the ways to read a file give one archive, which is checked once.
    var valid: [Data] = []
    func requireValid(_ archive: Data, _ name: String) throws {
      if valid.contains(archive) { return }
      try Violation.require(ArchiveCheck([UInt8](archive)).isValid, "the \(name) archive is not valid")
      valid.append(archive)
    }
    // What is read of a file can be stored too, except for an archive of ours that breaks rules.
    func require(_ imported: ImportedArchive, _ name: String, _ isOurs: Bool = false) throws -> Data? {
      let archive = try? imported.tree.encoded()
      try Violation.require(archive != nil || isOurs, "the \(name) archive cannot be stored")
      if let archive { try requireValid(archive, name) }
      return archive
    }
    if let salvaged = try? ImportedArchive(decoding: bytes, tolerance: .salvage) { _ = try require(salvaged, "salvaged") }
    if let readable = try? ImportedArchive(decoding: bytes, interpretsKnownClasses: true) {
      _ = try require(readable, "readable", readable.source == .restorationArchive)
    }
    let imported: ImportedArchive
    do {
      if bytes.starts(with: savedStateMark) {
        let state = savedState(Array(bytes.dropFirst(4)))
        imported = try ImportedArchive(windows: state.windowList, data: state.log)
      } else {
        imported = try ImportedArchive(decoding: bytes)
      }
    } catch { return }
    guard let archive = try require(imported, "imported", imported.source == .restorationArchive) else { return }
    let keyed = try ImportedArchive(decoding: [UInt8](imported.tree.keyedArchive()))
    try Violation.require(keyed.source == .restorationArchive, "the keyed form is not recognized")
    try Violation.require(keyed.tree.encoded() == archive, "the keyed form gives another archive")
  }

  /// Returns a saved state of the records in an input: a window in one byte, the length in two, and the plaintext.
  public static func savedState(_ bytes: [UInt8]) -> RawSavedState {
    var state = RawSavedState()
    for window in [1, 2, UInt32.max] as [UInt32] {
      state.addWindow(window, window == .max ? [("NSIsGlobal", .bool(true)), ("CFBundleVersion", .string("7"))] : [])
    }
    var rest = bytes[...]
    while rest.count >= 3 {
      let start = rest.startIndex
      let length = Int(rest[start + 1]) << 8 | Int(rest[start + 2])
      let window: UInt32 = rest[start] == 0xFF ? .max : UInt32(rest[start])
      state.addRecord(window, plaintext: Array(rest.dropFirst(3).prefix(length)))
      rest = rest.dropFirst(3 + length)
    }
    return state
  }
}

extension PropertyList {
  /// The list as a tree, which expands all sharing: for small lists.
  public func plain(depth: Int = 0, _ number: Int? = nil) -> PlainPropertyList {
    func inner(_ number: Int) -> PlainPropertyList { plain(depth: depth + 1, number) }
    switch self[number ?? top] {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value.bitPattern)
    case .date(let value): return .date(value.bitPattern)
    case .data(let bytes): return .data(bytes)
    case .string(let text): return .text(Array(text.utf8))
    case .uid(let uid): return .uid(UInt64(uid))
    case .array(let numbers): return .array(numbers.map(inner))
    case .set(let numbers): return .set(numbers.map(inner))
    case .dictionary(let entries): return .dictionary(entries.map { PlainEntry(key: inner($0.key), value: inner($0.value)) })
    }
  }
}
