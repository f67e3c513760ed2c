/// The saved state of an AppKit app: the files `windows.plist` and `data.data` of a `.savedState` folder.
///
/// The records are encrypted, but the keys lie beside them and nothing is authenticated: the content is as trustworthy
/// as any other file. `data.data` is a log. The last record of a window and identifier is current; records of closed
/// windows have no key any more.
public struct SavedState: Sendable {
  /// A window, the menu bar or the app in `windows.plist`.
  package struct Window: Sendable {
    /// The number that the records use.
    package let number: UInt32
    /// The key of its records.
    package let key: [UInt8]
    /// The number of its dictionary in the list.
    package let object: Int
  }

  /// A current record.
  package struct Current: Sendable {
    package let record: SavedStateRecord
    package let content: SavedStateContent
  }

  /// The window list.
  package let list: PropertyList
  /// The oddities of the window list, and what was lost of it if it was salvaged.
  package let oddities: [PropertyListOddity]
  /// The windows, in file order.
  package let windows: [Window]
  /// The current records, in file order.
  package let records: [Current]
  /// The number of records in the log.
  public let recordCount: Int
  /// The number of records that a later one of the same window and identifier replaces.
  public let supersededCount: Int
  /// The number of records of windows that the list does not have, which cannot be decrypted.
  public let keylessCount: Int
  /// The offsets of the records whose window has a key that does not fit.
  public let undecipherable: [Int]
  /// The fault that ends the log early, such as a record that was cut off; nil if the log is whole.
  public let fault: KeyedArchiveError?

  /// Reads a saved state.
  ///
  /// - Parameters:
  ///   - windows: The content of `windows.plist`.
  ///   - data: The content of `data.data`; nil if there is no such file.
  ///   - limits: The resources that reading may take.
  ///   - strict: Whether oddities of the window list, which Apple's own parser reads, are refused.
  /// - Throws: An error in the window list. An error in the log ends it, and is in ``fault``.
  /// - Complexity: O(n) in the length of the files.
  public init(
    windows: [UInt8], data: [UInt8]?, limits: ImportLimits = .standard, strict: Bool = false
  ) throws(KeyedArchiveError) {
    var context = ImportContext(limits, byteCount: windows.count + (data?.count ?? 0), strict ? .strict : .oddities)
    try self.init(windows: windows, data: data, &context)
  }

  init(windows bytes: [UInt8], data log: [UInt8]?, _ context: inout ImportContext) throws(KeyedArchiveError) {
    do throws(KeyedArchiveError) {
      list = try PropertyList(decoding: bytes, &context)
      windows = try Self.windows(of: list, &context)
      oddities = list.oddities + context.takeOddities()
    } catch {
      throw error.within("windows.plist")
    }
    let data = log ?? []
    let keys = Dictionary(windows.map { ($0.number, $0.key) }) { first, _ in first }
    var (count, keyless, superseded) = (0, 0, 0)
    var undecipherable: [Int] = []
    var current: [Int: Current] = [:]
    var latest: [Name: Int] = [:]
    let log = Self.records(of: data)
    for record in log.records {
      try context.create(at: record.range.lowerBound)
      try context.spend(record.range.count, at: record.range.lowerBound)
      defer { count += 1 }
      guard let key = keys[record.window] else {
        keyless += 1
        continue
      }
      guard let content = SavedStateContent(record, of: data, key: key) else {
        undecipherable.append(record.range.lowerBound)
        continue
      }
      let name = Name(window: record.window, identifier: Array(content.identifier.utf8))
      if let earlier = latest[name] {
        current[earlier] = nil
        superseded += 1
      }
      latest[name] = count
      current[count] = Current(record: record, content: content)
    }
    records = current.sorted { $0.key < $1.key }.map(\.value)
    (recordCount, keylessCount, supersededCount, self.undecipherable, fault) = (
      count, keyless, superseded, undecipherable, log.fault?.within("data.data")
    )
  }

  private struct Name: Hashable {
    let window: UInt32
    let identifier: [UInt8]
  }

  /// Returns the records of a log up to the first fault.
  package static func records(of data: [UInt8]) -> (records: [SavedStateRecord], fault: KeyedArchiveError?) {
    var records: [SavedStateRecord] = []
    var position = 0
    while position < data.count {
      do throws(KeyedArchiveError) {
        let record = try SavedStateRecord(data, at: position)
        records.append(record)
        position = record.range.upperBound
      } catch {
        return (records, error)
      }
    }
    return (records, nil)
  }

  // MARK: Windows

  /// Whether a property list looks like a list of windows.
  package static func isWindowList(_ list: PropertyList) -> Bool {
    guard case .array(let elements) = list[list.top], let first = elements.first else { return false }
    return list.value("NSWindowID", of: first) != nil
  }

  package static func windows(of list: PropertyList, _ context: inout ImportContext) throws(KeyedArchiveError) -> [Window] {
    guard case .array(let elements) = list[list.top] else {
      throw KeyedArchiveError(.windowList, at: list.offset(of: list.top), "list of windows", expected: "an array")
    }
    var windows: [Window] = []
    for element in elements where !list.lost.contains(element) {
      try context.create(1 + (list[element].contents?.count ?? 0), at: list.offset(of: element))
      do throws(KeyedArchiveError) {
        windows.append(try window(of: list, element))
      } catch {
        try context.lose(error, as: "the window is left out")
      }
    }
    return windows
  }

  private static func window(of list: PropertyList, _ element: Int) throws(KeyedArchiveError) -> Window {
    guard let number = list.value("NSWindowID", of: element), case .integer(let value) = list[number],
      let window = UInt32(exactly: value)
    else { throw KeyedArchiveError(.windowList, at: list.offset(of: element), "NSWindowID", expected: "a number of 32 bits") }
    guard let data = list.value("NSDataKey", of: element), case .data(let key) = list[data], key.count == AES128.blockByteCount else {
      throw KeyedArchiveError(.windowList, at: list.offset(of: element), "NSDataKey", expected: "16 bytes")
    }
    return Window(number: window, key: key, object: element)
  }
}
