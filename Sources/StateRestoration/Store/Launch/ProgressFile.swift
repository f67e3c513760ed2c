import RestorationArchive

/// The open file in which a launch records its progress.
///
/// Two launches after each other use its two slots in turn, so that the record of the last one is whole until that of
/// the next one is. All of the file but new entries has its place on the disk before a launch begins, so that a full disk
/// prevents no record. It is flushed when a launch begins and ends: it must survive the process, not the machine.
///
///     page 0       the record of a signal or exit handler; the word of each slot, stored through a mapping if possible
///     page 1, 2    the head of each slot, and the path of an object that registered late
///     page 3, 5 …  the entries of the first slot, one for each archive; page 4, 6 … those of the second
final class ProgressFile: Sendable {
  static let fileName = "progress"
  static let pageByteCount = MappedPage.byteCount
  private static let firstEntryPage = 3
  static let entryByteCount = 64
  static let entriesPerPage = pageByteCount / entryByteCount
  private static let textOffset = 1024
  private static let textHeadByteCount = 24
  /// The length of a head without the build.
  private static let headByteCount = 48
  private static let maximumVersionByteCount = 512
  static let maximumTextByteCount = pageByteCount - textOffset - textHeadByteCount
  private static let mark: UInt64 = 0x7072_6F67_7265_7332
  private static let absent = UInt32.max

  private let folder: StoreFolder
  let file: OpenFile
  let page: MappedPage?
  /// The slot of this launch.
  private let slot: Int
  private let sequence: UInt64
  /// The number of pages of entries in each slot, when the file was opened.
  let initialEntryPages: Int

  private init(_ folder: StoreFolder, _ file: OpenFile, slot: Int, sequence: UInt64, entryPages: Int) {
    (self.folder, self.file, self.slot, self.sequence) = (folder, file, slot, sequence)
    initialEntryPages = entryPages
    MappedPage.watchForks()
    page = folder.system.sharedPage(of: file)
  }

  /// Opens the file, creating it if necessary, with a slot for the record of a launch.
  ///
  /// The record of the last launch stays the valid one until that of this launch is complete, and counts until it is judged:
  /// the slot of a launch that died before that is used again.
  static func open(in folder: StoreFolder) throws(FileSystemError) -> ProgressFile {
    let (file, status) = try folder.openOwn(fileName)
    do throws(FileSystemError) {
      let left = LeftProgress(try folder.read(file, 0..<min(status.byteCount, maximumByteCount)))
      let slot = left.slot.map { 1 - $0 } ?? 0
      // Written although the bytes are there: they may be a hole, which only a write fills.
      var first = left.firstPage
      first.replaceSubrange(wordRange(of: slot), with: [UInt8](repeating: 0, count: 8))
      try folder.write(first, to: file, at: 0)
      let pages = max(firstEntryPage + 2, min(status.byteCount, maximumByteCount) / pageByteCount)
      let missing = max(status.byteCount, pageByteCount)..<max(status.byteCount, pageByteCount, pages * pageByteCount)
      if !missing.isEmpty { try folder.write([UInt8](repeating: 0, count: missing.count), to: file, at: missing.lowerBound) }
      return ProgressFile(
        folder, file, slot: slot, sequence: left.sequence &+ 1, entryPages: (pages - firstEntryPage) / 2)
    } catch {
      folder.system.close(file)
      throw error
    }
  }

  deinit {
    // Must precede the close, after which another file could get the same descriptor.
    if isOfSystem { ExitRecorder.end(file.descriptor) }
    folder.system.close(file)
  }

  /// Whether the file is on the real file system, so that signal handlers can write to it.
  var isOfSystem: Bool { folder.system is SystemFileSystem }

  /// The greatest length of the file that is read.
  static let maximumByteCount =
    (firstEntryPage + 2 * (ProgressWord.entryLimit / entriesPerPage)) * pageByteCount

  private static func wordRange(of slot: Int) -> Range<Int> {
    let offset = 1024 * (slot + 1)
    return offset..<offset + 8
  }

  private static func entryOffset(_ place: Int, slot: Int) -> Int {
    (firstEntryPage + 2 * (place / entriesPerPage) + slot) * pageByteCount + place % entriesPerPage * entryByteCount
  }

  // MARK: Writing

  /// Stores the word of the running callback.
  ///
  /// Through the mapping, it costs as much as a store to memory; else it costs a write of eight bytes. A failure does not
  /// stop the launch.
  func store(_ word: ProgressWord) {
    if let page { return page.store(word.rawValue.littleEndian, at: Self.wordRange(of: slot).lowerBound) }
    guard !MappedPage.isForked else { return }
    var bytes = FixedRecord()
    bytes.append(word.rawValue)
    try? folder.write(bytes.bytes, to: file, at: Self.wordRange(of: slot).lowerBound)
  }

  /// Writes who the launch is and how it ends.
  func write(head record: ProgressRecord) throws(FileSystemError) {
    let version = record.bundleVersion.map { Array($0.utf8) }.flatMap { $0.count > Self.maximumVersionByteCount ? nil : $0 }
    var bytes = FixedRecord()
    bytes.append(Self.mark, sequence, record.launch, record.boot, record.ending.rawValue)
    bytes.append(version.map { UInt32($0.count) } ?? Self.absent, UInt32(clamping: record.streak))
    bytes.append(UInt32((record.hasRun ? 1 : 0) | (record.hasRestored ? 2 : 0) | (record.isJudging ? 4 : 0)))
    if let version { bytes.append(contentsOf: version) }
    bytes.appendChecksum()
    try folder.write(bytes.bytes, to: file, at: (1 + slot) * Self.pageByteCount)
  }

  /// Writes the entry of an archive; nil frees it.
  func write(_ archive: ProgressRecord.Archive?, at place: Int, launch: UInt64) throws(FileSystemError) {
    var bytes = FixedRecord()
    if let archive {
      let flags = UInt64(archive.hasWorked ? 1 : 0) | UInt64(archive.isSetAside ? 2 : 0)
      bytes.append(archive.hash, archive.generation, archive.content.digest.rawValue, UInt64(archive.content.linkCount))
      bytes.append(flags, launch, UInt64(0))
      bytes.appendChecksum()
    } else {
      bytes.append(contentsOf: [UInt8](repeating: 0, count: Self.entryByteCount))
    }
    try folder.write(bytes.bytes, to: file, at: Self.entryOffset(place, slot: slot))
  }

  /// Adds a page of entries to each slot.
  func grow(to entryPages: Int) throws(FileSystemError) {
    let start = (Self.firstEntryPage + 2 * (entryPages - 1)) * Self.pageByteCount
    try folder.write([UInt8](repeating: 0, count: 2 * Self.pageByteCount), to: file, at: start)
  }

  /// Writes the path of the node that is called next; returns false if it is too long.
  func write(text path: RestorationPath, launch: UInt64) throws(FileSystemError) -> Bool {
    let text = Array(path.description.utf8)
    guard text.count <= Self.maximumTextByteCount else { return false }
    var bytes = FixedRecord()
    bytes.append(UInt64(text.count), launch, Self.textChecksum(text, launch: launch))
    bytes.append(contentsOf: text)
    try folder.write(bytes.bytes, to: file, at: (1 + slot) * Self.pageByteCount + Self.textOffset)
    return true
  }

  private static func textChecksum(_ text: [UInt8], launch: UInt64) -> UInt64 {
    var bytes = FixedRecord(text)
    bytes.append(launch)
    return bytes.checksum(of: bytes.bytes.count)
  }

  /// Flushes the record to disk, so that it survives a system crash too.
  func flush() throws(FileSystemError) {
    try folder.again { () throws(FileSystemError) in try folder.system.flush(file) }
  }

  // MARK: Reading

  fileprivate static func head(in bytes: [UInt8], _ slot: Int) -> (ProgressRecord, sequence: UInt64)? {
    let start = (1 + slot) * pageByteCount
    guard bytes.count >= start + pageByteCount else { return nil }
    let fields = FixedRecord(Array(bytes[start..<start + textOffset]))
    let length = fields.uint32(at: 36)
    guard length == absent || length <= maximumVersionByteCount else { return nil }
    let end = headByteCount + (length == absent ? 0 : Int(length))
    guard fields.uint64(at: 0) == mark, let ending = ProgressRecord.Ending(rawValue: fields.uint32(at: 32)),
      fields.checksum(of: end) == fields.uint64(at: end)
    else { return nil }
    var record = ProgressRecord(
      ending: ending, launch: fields.uint64(at: 16), boot: fields.uint64(at: 24), streak: Int(clamping: fields.uint32(at: 40)),
      hasRun: fields.uint32(at: 44) & 1 != 0, hasRestored: fields.uint32(at: 44) & 2 != 0, isJudging: fields.uint32(at: 44) & 4 != 0)
    if length != absent { record.bundleVersion = String(decoding: fields.bytes[headByteCount..<end], as: UTF8.self) }
    return (record, fields.uint64(at: 8))
  }

  fileprivate static func word(in firstPage: [UInt8], _ slot: Int) -> ProgressWord {
    ProgressWord(rawValue: FixedRecord(firstPage).uint64(at: wordRange(of: slot).lowerBound))
  }

  /// Returns the entries of a launch, by place; nil for a free place.
  fileprivate static func entries(in bytes: [UInt8], _ slot: Int, launch: UInt64) -> [ProgressRecord.Archive?] {
    var entries: [ProgressRecord.Archive?] = []
    for place in 0..<ProgressWord.entryLimit {
      let start = entryOffset(place, slot: slot)
      guard start + entryByteCount <= bytes.count else { break }
      entries.append(entry(FixedRecord(Array(bytes[start..<start + entryByteCount])), launch: launch))
    }
    return entries
  }

  private static func entry(_ fields: FixedRecord, launch: UInt64) -> ProgressRecord.Archive? {
    guard fields.uint64(at: 40) == launch, fields.checksum(of: 56) == fields.uint64(at: 56),
      let linkCount = Int(exactly: fields.uint64(at: 24))
    else { return nil }
    return ProgressRecord.Archive(
      hash: fields.uint64(at: 0), generation: fields.uint64(at: 8),
      content: LoadedContent(linkCount: linkCount, digest: ContentDigest(rawValue: fields.uint64(at: 16))),
      hasWorked: fields.uint64(at: 32) & 1 == 1, isSetAside: fields.uint64(at: 32) & 2 == 2)
  }

  fileprivate static func text(in bytes: [UInt8], _ slot: Int, launch: UInt64) -> RestorationPath? {
    let start = (1 + slot) * pageByteCount + textOffset
    let fields = FixedRecord(Array(bytes[start..<start + textHeadByteCount]))
    guard fields.uint64(at: 0) <= UInt64(maximumTextByteCount) else { return nil }
    let text = Array(bytes[start + textHeadByteCount..<start + textHeadByteCount + Int(fields.uint64(at: 0))])
    guard textChecksum(text, launch: launch) == fields.uint64(at: 16) else { return nil }
    return text.isEmpty ? .application : try? RestorationPath(parsing: String(decoding: text, as: UTF8.self))
  }
}

/// What the last launch has left of its progress.
struct LeftProgress {
  /// The valid record; nil if there is none.
  private(set) var record: ProgressRecord?
  /// The callback that had not returned; nil if there was none.
  private(set) var word: ProgressWord?
  /// The path of its node, if that is noted as text.
  private(set) var text: RestorationPath?
  /// Whether archives without an entry of their own were being restored, and whether the app has worked since.
  private(set) var shared: ProgressRecord.Archive?
  /// The record of a signal or exit handler.
  private(set) var exit: ExitRecord?
  /// The launch that died while it judged the one of this record, if nothing else is known of it.
  private(set) var blankLaunch: UInt64?
  /// The slot of the record.
  fileprivate private(set) var slot: Int?
  /// The number of the last record.
  fileprivate private(set) var sequence: UInt64 = 0
  fileprivate private(set) var firstPage: [UInt8]
  private let bytes: [UInt8]

  /// Reads what is left in a folder.
  init(in folder: StoreFolder) {
    guard let (file, status) = try? folder.open(ProgressFile.fileName, .read) else {
      self.init([])
      return
    }
    defer { folder.system.close(file) }
    self.init((try? folder.read(file, 0..<min(status.byteCount, ProgressFile.maximumByteCount))) ?? [])
  }

  /// Parses the bytes of a file; whatever was not completely written is missing.
  init(_ bytes: [UInt8]) {
    self.init(bytes, slot: Self.slots(in: bytes).first)
    // What died before it had judged the last launch, and did nothing else, hides nothing of it.
    guard let record, record.isBlank, word == nil, let last = before else { return }
    let sequence = sequence
    self = last
    (blankLaunch, self.sequence) = (record.launch, sequence)
  }

  private init(_ bytes: [UInt8], slot: Int?) {
    let size = ProgressFile.pageByteCount
    self.bytes = bytes
    firstPage = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    exit = ExitRecord(firstPage)
    guard let slot, let (record, sequence) = ProgressFile.head(in: bytes, slot) else { return }
    (self.record, self.sequence, self.slot) = (record, sequence, slot)
    let launch = record.launch
    let places = ProgressFile.entries(in: bytes, slot, launch: launch)
    shared = places.first ?? nil
    self.record?.archives = Array(places.dropFirst())
    let word = ProgressFile.word(in: firstPage, slot)
    guard word.isOf(launch: launch), let phase = word.phase, phase != .none else { return }
    self.word = word
    if word.node == ProgressWord.textNode { text = ProgressFile.text(in: bytes, slot, launch: launch) }
  }

  /// The slots with a record, that of the last launch first.
  private static func slots(in bytes: [UInt8]) -> [Int] {
    (0..<2).compactMap { slot in ProgressFile.head(in: bytes, slot).map { (slot, $0.sequence) } }.sorted {
      Int64(bitPattern: $0.1 &- $1.1) > 0
    }.map(\.0)
  }

  /// The record of the launch before that, which this one was still judging; nil if it had done so.
  var before: LeftProgress? {
    guard record?.isJudging == true, let slot = Self.slots(in: bytes).first(where: { $0 != self.slot }) else { return nil }
    return LeftProgress(bytes, slot: slot)
  }

  /// The archive of the running callback; nil if there was none, or if it shared its entry.
  var called: ProgressRecord.Archive? {
    guard let word, word.entry > 0, let archives = record?.archives, word.entry <= archives.count else { return nil }
    return archives[word.entry - 1]
  }
}

/// The record of a launch on the disk, kept equal to a ``ProgressRecord`` in memory by writing the differences.
struct ProgressRecorder {
  let file: ProgressFile
  private var written: ProgressRecord
  /// The archives without an entry of their own, by number: they share the one at place 0.
  private var sharing: Set<Int> = []
  private var sharedEntry: ProgressRecord.Archive?
  private var entryPages: Int

  /// Begins the record of a launch.
  init(_ record: ProgressRecord, in folder: StoreFolder) throws(FileSystemError) {
    var head = record
    head.archives = []
    file = try ProgressFile.open(in: folder)
    written = head
    entryPages = file.initialEntryPages
    try file.write(head: head)
    try file.flush()
    write(record)
  }

  /// Writes the changes; what cannot be written now is written with the next call.
  mutating func write(_ record: ProgressRecord) {
    if !written.hasSameHead(as: record), (try? file.write(head: record)) != nil {
      let archives = written.archives
      written = record
      written.archives = archives
    }
    for number in 0..<max(record.archives.count, written.archives.count) {
      let new = number < record.archives.count ? record.archives[number] : nil
      if number == written.archives.count { written.archives.append(nil) }
      guard new != written.archives[number], (try? write(new, number, launch: record.launch)) != nil else { continue }
      written.archives[number] = new
    }
    try? writeShared(record)
  }

  /// Returns the place of an archive among the entries.
  func place(of number: Int) -> Int {
    number < written.archives.count && written.archives[number] != nil && !sharing.contains(number) ? number + 1 : 0
  }

  private mutating func write(_ archive: ProgressRecord.Archive?, _ number: Int, launch: UInt64) throws(FileSystemError) {
    let place = place(of: number)
    guard let archive else {
      if place > 0 { try file.write(nil, at: place, launch: launch) }
      sharing.remove(number)
      return
    }
    if sharing.contains(number) { return }
    do throws(FileSystemError) {
      try makeRoom(for: number + 1)
      try file.write(archive, at: number + 1, launch: launch)
    } catch {
      // An entry that exists is written again with the next change.
      if place > 0 { throw error }
      sharing.insert(number)
    }
  }

  private mutating func makeRoom(for place: Int) throws(FileSystemError) {
    let pages = place / ProgressFile.entriesPerPage + 1
    guard place < ProgressWord.entryLimit else { throw FileSystemError(.write, code: 0, path: file.file.path) }
    while entryPages < pages {
      try file.grow(to: entryPages + 1)
      entryPages += 1
    }
  }

  /// Writes the entry of the archives that have none of their own; they are judged together.
  private mutating func writeShared(_ record: ProgressRecord) throws(FileSystemError) {
    var shared: ProgressRecord.Archive?
    for number in sharing where number < record.archives.count {
      guard let archive = record.archives[number] else { continue }
      let hasWorked = archive.hasWorked && shared?.hasWorked ?? true
      shared = ProgressRecord.Archive(hash: 0, generation: 0, content: LoadedContent(), hasWorked: hasWorked)
    }
    guard shared != sharedEntry else { return }
    try file.write(shared, at: 0, launch: record.launch)
    sharedEntry = shared
  }
}
