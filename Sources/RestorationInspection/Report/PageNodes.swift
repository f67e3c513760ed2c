import ArchiveFormat
import FoundationValues
import KeyedArchive
import RestorationArchive

/// The nodes of an archive as a page's script shows them, so that no second reader of archives exists.
///
/// A tree is one JSON object of columns, with a number or text for each row. Rows are nodes, each before the nodes below
/// it and siblings in saved order: the order on the page.
///
///     {"depths":[0,1,2],"names":["","root","list"],"types":[0,1,0],"origins":[0,0,0],"bytes":[0,0,0],"marks":[0,0,0],
///      "tags":["Window 2"]}
///
/// The state of a node is a line of a list that all archives of the page share (``PagePool``): the length of the state
/// record, and the contents in JSON. States that do not change between two saves are there once.
///
///     18 [[0,"Draft",1,7]]
///
/// Values that a reader cannot read, and sensitive ones, are not in the page in any form.
struct PageNodes {
  enum Mark: Int {
    case none, recordLost, nameLost, stateLost
    /// The page has no room for the name, or for the state.
    case nameOmitted, stateOmitted
    /// The row is no node: the nodes below it are those whose place is lost.
    case unplaced
  }

  private(set) var tree: [UInt8] = []
  /// The lines of the states of all rows, as runs of line numbers.
  private(set) var runs: [(first: Int, count: Int)] = []
  /// The row of each record; -1 for one that has none.
  private(set) var rows: [Int]
  /// The room that the names took.
  private(set) var nameRoom = 0
  /// The number of states that the page has no room for.
  private(set) var omittedCount = 0

  /// Writes the nodes of an archive.
  ///
  /// - Complexity: O(n log n) in the number of nodes, O(n) in the length of the file.
  init(_ archive: ArchiveReader, _ sizes: ArchiveSizes, _ sensitive: SensitiveValues, _ pool: inout PagePool) {
    let records = archive.records
    let order = PageOrder(records)
    rows = [Int](repeating: -1, count: records.presentRecordCount)
    var columns = ["depths", "types", "origins", "bytes", "marks"].map { (name: $0, text: "") }
    var names = PageText()
    let progress = WorkProgress.begin(order.rows.count)
    defer { progress?.end() }
    for (row, place) in order.rows.enumerated() {
      if row % 1024 == 0 { progress?.advance(to: row) }
      var (mark, name, line, length) = (Mark.none, "", PageText(), 0)
      let node = place.record < rows.count ? try? records.node(at: place.record) : nil
      if place.record < rows.count { rows[place.record] = row } else { mark = .unplaced }
      if let node {
        if place.record > 0 {
          if let identifier = try? records.identifier(of: node) { name = identifier } else { mark = .nameLost }
        }
        do throws(ArchiveError) {
          let contents = try archive.node(index: place.record, path: .application).everything()
          line.write(contents, sensitive, &pool)
          length = Int(node.record.stateLength)
        } catch {
          mark = .stateLost
        }
      } else if mark != .unplaced {
        mark = .recordLost
      }
      var text = PageText()
      text.string(name)
      if pool.take(text.bytes.count + 16) {
        nameRoom += text.bytes.count + 16
      } else {
        (text, mark) = (PageText(), .nameOmitted)
        text.string("")
      }
      names.bytes += (row == 0 ? [] : [UInt8(ascii: ",")]) + text.bytes
      if !add(line, length, &pool) {
        (mark, length) = (.stateOmitted, 0)
        omittedCount += 1
      }
      let rest = node == nil ? 0 : sizes.own(at: place.record) - NodeRecord.byteCount - length
      for (column, number) in [place.depth, Int(node?.record.type ?? 0), Int(node?.record.origin ?? 0), rest, mark.rawValue].enumerated() {
        columns[column].text += row == 0 ? "\(number)" : ",\(number)"
      }
    }
    var text = PageText()
    text.raw("{")
    for column in columns { text.raw("\"\(column.name)\":[\(column.text)],") }
    text.raw("\"names\":[")
    text.bytes += names.bytes
    text.raw("],\"tags\":[")
    for (index, type) in records.metadata.allTypes.enumerated() {
      if index > 0 { text.raw(",") }
      text.string(pool.take([type.text]) ? type.text : "…")
    }
    text.raw("]}")
    tree = text.bytes
  }

  /// Adds the line of the next row, and returns whether the page has room for it.
  private mutating func add(_ line: PageText, _ length: Int, _ pool: inout PagePool) -> Bool {
    let (number, hasRoom) = pool.add(line, length)
    if let last = runs.last, last.first + last.count == number {
      runs[runs.count - 1].count += 1
    } else {
      runs.append((number, 1))
    }
    return hasRoom
  }
}

/// The rows of an archive's nodes: each record before its children, which are in saved order.
///
/// A record belongs to the first record whose range of children holds it, if it names that one as its parent or cannot
/// be read. So each has one parent at most, which comes before it, whatever the bytes are. Records without a parent are
/// below a row of their own, the last on the first level; its record is the number of records.
private struct PageOrder {
  private(set) var rows: [(record: Int, depth: Int)] = []

  init(_ records: ArchiveRecords) {
    let count = records.presentRecordCount
    guard count > 0 else { return }
    var parents = [Int](repeating: -1, count: count)
    var ranges = [Range<Int>](repeating: 0..<0, count: count)
    var orders = [UInt32](repeating: .max, count: count)
    var lost = [Bool](repeating: true, count: count)
    var named = [UInt32](repeating: 0, count: count)
    for index in 0..<count {
      guard let record = try? records.node(at: index).record else { continue }
      (lost[index], orders[index], named[index]) = (false, record.savedOrder, record.parent)
      ranges[index] = (record.children(index: index, count: records.recordCount) ?? 0..<0).clamped(to: 0..<count)
    }
    // Ranges ascend in a valid archive; the part of one that goes back is not looked at.
    var next = 1
    for parent in 0..<count where !ranges[parent].isEmpty {
      let range = ranges[parent]
      ranges[parent] = max(range.lowerBound, parent + 1, next)..<max(range.upperBound, range.lowerBound, parent + 1, next)
      for child in ranges[parent] where lost[child] || Int(named[child]) == parent { parents[child] = parent }
      next = ranges[parent].upperBound
    }
    var waiting = [(record: 0, depth: 0)]
    let unplaced = (1..<max(count, 1)).filter { parents[$0] < 0 }
    if !unplaced.isEmpty { waiting = [(count, 1), (0, 0)] }
    while let place = waiting.popLast() {
      rows.append(place)
      let children = place.record == count ? unplaced : ranges[place.record].filter { parents[$0] == place.record }
      waiting += children.sorted { orders[$0] < orders[$1] }.reversed().map { ($0, place.depth + 1) }
    }
  }
}

/// What the archives of a page share: keys and states, each of which is written once, and the room that is left.
struct PagePool {
  /// The bytes that names and states may still take.
  private(set) var room: Int
  private(set) var keys: [String] = []
  /// The lines that are not yet written.
  private(set) var lines: [UInt8] = []
  private var numbers: [[UInt8]: Int] = [:]
  /// The line with each digest, if several archives share them.
  private var places: [Int: Int] = [:]
  private var lineCount = 1
  let isShared: Bool
  /// The resources for looking into data, for all archives of the page.
  let context: ImportContext

  /// Creates a pool with one line, which is empty.
  init(room: Int = 1 << 19, isShared: Bool = false) {
    (self.room, self.isShared) = (room, isShared)
    context = ImportContext(.standard, byteCount: room)
    lines = Array("0 \n".utf8)
  }

  /// Adds room, or takes it without asking if negative.
  mutating func addRoom(_ byteCount: Int) { room += byteCount }

  /// Takes room; returns false if there is not enough.
  mutating func take(_ byteCount: Int) -> Bool {
    guard byteCount <= room else { return false }
    room -= byteCount
    return true
  }

  /// Takes room for texts, as long as they are in JSON at most.
  mutating func take(_ texts: [String]) -> Bool {
    take(
      texts.reduce(16) { sum, text in
        text.utf8.reduce(sum + 16) { $0 + ($1 < 0x20 || $1 == UInt8(ascii: "<") || $1 == 0x7F ? 6 : $1 < 0x80 ? 1 : 3) }
      })
  }

  /// Returns the number of a key; nil if there is no room for another one.
  mutating func number(of key: String) -> Int? {
    let bytes = Array(key.utf8)
    if let number = numbers[bytes] { return number }
    guard take([key]) else { return nil }
    numbers[bytes] = keys.count
    keys.append(key)
    return keys.count - 1
  }

  /// Returns the number of a line, which is 0 if there is no room for it.
  mutating func add(_ line: PageText, _ length: Int) -> (number: Int, hasRoom: Bool) {
    if line.bytes.isEmpty, length == 0 { return (0, true) }
    var digest = 0
    if isShared {
      var hasher = line.hasher
      hasher.combine(length)
      hasher.combine(line.bytes)
      digest = hasher.finalize()
      if let place = places[digest] { return (place, true) }
    }
    guard take(line.bytes.count + 8) else { return (0, false) }
    lines += Array("\(length) ".utf8) + line.bytes + [UInt8(ascii: "\n")]
    if isShared { places[digest] = lineCount }
    lineCount += 1
    return (lineCount - 1, true)
  }

  /// Returns the lines that were added since the last call.
  mutating func takeLines() -> [UInt8] {
    defer { lines = [] }
    return lines
  }
}

/// Contents as compact JSON.
///
/// Strings, booleans, null, and the numbers that JavaScript has are JSON's own, and arrays are arrays. Any other value is
/// an object with one member, named after its kind: mostly the text that the tool prints. A dictionary is a list of keys
/// and values in turn; a key is a number in the list of the page, or a text.
struct PageText {
  var bytes: [UInt8] = []
  /// The state of sensitive values that are not in the text: two lines differ if these do.
  private(set) var hasher = Hasher()

  /// Appends text as it is.
  mutating func raw(_ text: String) { bytes += text.utf8 }

  /// Appends a string; `<` is escaped, so that nothing in it can end the element that it is in.
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: raw("\\n")
      case 0..<0x20, UInt8(ascii: "<"), 0x7F: raw("\\u00\(HexText.text(of: [byte]))")
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the contents of a node: state, attributes and provider, as far as it has them.
  mutating func write(
    _ contents: (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary), _ sensitive: SensitiveValues,
    _ pool: inout PagePool
  ) {
    if contents.provider == nil, contents.attributes.isEmpty, contents.state.isEmpty { return }
    raw("[")
    entries(contents.state, sensitive, &pool)
    if contents.provider != nil || !contents.attributes.isEmpty {
      raw(",")
      entries(contents.attributes, sensitive, &pool)
    }
    if let provider = contents.provider {
      raw(",")
      list([provider.name, provider.identifier]) { $0.string($1) }
    }
    raw("]")
  }

  /// Appends a list of elements.
  private mutating func list<Elements: Sequence>(_ elements: Elements, _ body: (inout PageText, Elements.Element) -> Void) {
    raw("[")
    for (place, element) in elements.enumerated() {
      if place > 0 { raw(",") }
      body(&self, element)
    }
    raw("]")
  }

  private mutating func entries(_ entries: ArchiveDictionary, _ sensitive: SensitiveValues, _ pool: inout PagePool) {
    list(entries) { text, entry in
      if let number = pool.number(of: entry.key) { text.raw("\(number)") } else { text.string(entry.key) }
      text.raw(",")
      switch (entry.isSensitive, sensitive) {
      case (false, _): text.value(entry.value, sensitive, &pool)
      case (true, .redact):
        text.tagged("masked", SensitiveText.text(for: entry.value))
        if pool.isShared {
          // Without room, so that no key of the value comes into the page.
          var (hidden, noPool) = (PageText(), PagePool(room: 0))
          hidden.value(entry.value, .reveal, &noPool)
          text.hasher.combine(hidden.bytes)
        }
      case (true, .reveal):
        text.tagged("sensitive") { $0.value(entry.value, sensitive, &pool) }
      }
    }
  }

  private mutating func tagged(_ kind: String, _ text: String) { tagged(kind) { $0.string(text) } }

  private mutating func tagged(_ kind: String, _ body: (inout PageText) -> Void) {
    raw("{\"\(kind)\":")
    body(&self)
    raw("}")
  }

  /// Appends a value.
  ///
  /// The format's limit of 128 nesting levels bounds the recursion.
  private mutating func value(_ value: ArchiveValue, _ sensitive: SensitiveValues, _ pool: inout PagePool) {
    let text = value.isScalar ? value.displayText : ""
    switch value {
    case .null, .bool: raw(text)
    // Integers of 15 digits and fractions without an exponent read back and print as the same text.
    case .integer where text.utf8.count < 16,
      .float where text.utf8.count < 16 && text.allSatisfy { "-.0123456789".contains($0) } && !text.hasSuffix(".0"):
      raw(text)
    case .integer: tagged("integer", text)
    case .float: tagged("float", text)
    case .date: tagged("date", text)
    case .uuid: tagged("uuid", text)
    case .string(let content): string(content)
    case .url(let content): tagged("url", content)
    case .data(let data):
      raw("{\"data\":\"\(data.base64EncodedString())\"")
      if let words = DataContent.words(of: data, upTo: 1 << 12, pool.context) {
        raw(",\"is\":")
        string(words.cut(to: ReportItem.Limits.length))
      }
      raw("}")
    case .array(let elements):
      list(elements) { $0.value($1, sensitive, &pool) }
    case .dictionary(let content): tagged("entries") { $0.entries(content, sensitive, &pool) }
    case .reference(let path): tagged("reference") { $0.list(path.components) { $0.string($1) } }
    }
  }
}

extension ArchiveValue {
  /// Whether the value has a text of its own that is short.
  fileprivate var isScalar: Bool {
    switch self {
    case .null, .bool, .integer, .float, .date, .uuid: true
    default: false
    }
  }
}
