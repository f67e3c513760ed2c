import FoundationValues
import RestorationArchive

/// The import of AppKit's saved states (`Spec/imports.md`, section 5.2).
///
/// Each window is a root node with the number of the window as its identifier; each current record is a node below it.
struct AppKitImport {
  /// The class of references.
  private static let referenceClass = "NSPersistentUIEncodedReference"

  private let list: PropertyList
  private let context: ImportContext
  private var result = ImportedArchive(.appKit)
  private var forest = NodeForest()

  private init(_ list: PropertyList, _ context: ImportContext) { (self.list, self.context) = (list, context) }

  // MARK: Sources

  /// Imports a whole saved state.
  static func archive(of state: SavedState, _ context: ImportContext) throws(KeyedArchiveError) -> ImportedArchive {
    var run = AppKitImport(state.list, context)
    do throws(KeyedArchiveError) {
      try run.addWindows(state.windows)
    } catch {
      throw error.within("windows.plist")
    }
    for current in state.records { try run.add(current) }
    run.addNotes(on: state)
    run.result.add(state.oddities.map { $0.within("windows.plist") }, isOutermost: true)
    run.result.tree.nodes = run.forest.nodes()
    return run.result
  }

  /// Imports a list of windows without its records.
  static func archive(of list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) -> ImportedArchive {
    var run = AppKitImport(list, context)
    try run.addWindows(SavedState.windows(of: list, context))
    run.result.note("these are the windows alone: their state is in data.data, which belongs beside this file; name the folder")
    run.result.tree.nodes = run.forest.nodes()
    return run.result
  }

  /// Imports a log without the list that has its keys.
  static func archive(ofLog bytes: [UInt8]) -> ImportedArchive {
    let log = SavedState.records(of: bytes)
    var notes: [ImportedArchive.Note] = []
    if !log.records.isEmpty {
      let windows = Set(log.records.map(\.window)).count
      let extent = "\(counted(log.records.count)) of \(windows == 1 ? "1 window" : "\(windows) windows")"
      notes.append(.init("\(extent) cannot be decrypted: their keys are in windows.plist, which belongs beside this file"))
    }
    if let fault = log.fault { notes.append(.init("the \(log.records.isEmpty ? "file" : "rest") cannot be read: \(fault)")) }
    return ImportedArchive(.appKit, notes: notes)
  }

  private static func counted(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

  private mutating func addNotes(on state: SavedState) {
    if state.supersededCount > 0 { result.note("\(Self.counted(state.supersededCount)) replaced by later ones") }
    if state.keylessCount > 0 { result.note("\(Self.counted(state.keylessCount)) of closed windows, whose keys are gone") }
    for offset in state.undecipherable {
      let text = "the record at offset 0x\(String(offset, radix: 16)) of data.data does not fit the key of its window"
      result.note(text, .loss, others: "records that do not")
    }
    result.noteOthers()
    if let fault = state.fault { result.note("the rest of data.data cannot be read: \(fault)", .loss) }
  }

  // MARK: Windows

  private mutating func addWindows(_ windows: [SavedState.Window]) throws(KeyedArchiveError) {
    let places = list.objects.reached(from: list.top).places
    var converter = try GraphConverter(KeyedArchive(plain: list, context), context)
    result.tree.header.userInterfaceIdiom = .mac
    for window in windows {
      var node = ArchiveNode("", type: type(of: window))
      if node.type == "NSApplication" { readHeader(window) }
      node.state = try converter.state(of: list.fields(of: window.object, places) ?? [])
      var path = window.number.map { ["\($0)"] }
      if let taken = path, forest.hasNode(at: taken) {
        result.note("the window \(taken[0]) occurs twice; the later one is below :unplaced", others: "windows that do")
        path = nil
      }
      forest.set(node, at: path ?? forest.unplaced())
    }
    try result.add(converter, context)
  }

  private func isSet(_ key: String, _ window: SavedState.Window) -> Bool {
    guard let number = list.value(key, of: window.object) else { return false }
    return list[number] == .bool(true) || list[number] == .integer(1)
  }

  private func type(of window: SavedState.Window) -> String {
    if isSet("NSIsGlobal", window) { return "NSApplication" }
    return isSet("NSIsMainMenuBar", window) ? "NSMainMenuBar" : "NSWindow"
  }

  private mutating func readHeader(_ window: SavedState.Window) {
    if let number = list.value("CFBundleVersion", of: window.object) { result.tree.header.bundleVersion = list.text(number) }
    guard let number = list.value("NSSystemVersion", of: window.object), case .array(let parts) = list[number], parts.count <= 4 else {
      return
    }
    let numbers = parts.compactMap { part in if case .integer(let value) = list[part] { "\(value)" } else { nil as String? } }
    if numbers.count == parts.count, !parts.isEmpty { result.tree.header.systemVersion = numbers.joined(separator: ".") }
  }

  // MARK: Records

  private mutating func add(_ current: SavedState.Current) throws(KeyedArchiveError) {
    let content = current.content
    var path = ["\(current.record.window)", content.identifier]
    var node = ArchiveNode("")
    if (try? RestorationPath(components: path)) == nil {
      path = forest.unplaced()
      node.attributes["appkit.identifier"] = .string(content.identifier)
      node.attributes["appkit.window"] = ArchiveInteger(exactly: current.record.window).map { .integer($0) }
    }
    if content.flags != 0 { node.attributes["appkit.flags"] = .integer(Int(content.flags)) }
    var kept: [ArchiveDictionary.Entry] = []
    for (number, chunk) in content.chunks.enumerated() {
      try context.create(at: nil)
      let bytes = Array(content.plaintext[chunk.range])
      var place: String { "record at 0x\(String(current.record.range.lowerBound, radix: 16)), \(chunk.tag)" }
      do throws(KeyedArchiveError) {
        try add(list(of: bytes, chunk.tag, in: node), chunk.tag, place, to: &node, at: path)
      } catch {
        guard error.code != .workLimit, error.code != .countLimit else { throw error.within(place) }
        try context.create(3, at: nil)
        context.lookForTag(in: bytes)
        try result.noteKept("a part is kept as bytes: \(error.within(place))", at: path, context)
        kept.append(.init(key: "appkit.chunk.\(number)", value: .array([.string(chunk.tag), .data(Data(bytes))])))
      }
    }
    // At once, because they are not in the order of their keys.
    if !kept.isEmpty { node.attributes = ArchiveDictionary(Array(node.attributes) + kept) }
    forest.set(node, at: path)
  }

  private func list(of bytes: [UInt8], _ tag: String, in node: ArchiveNode) throws(KeyedArchiveError) -> PropertyList {
    let isRepeated = tag == "rchv" ? !node.state.isEmpty : node.attributes["appkit.\(tag)"] != nil
    guard ["kyds", "rchv", "surl"].contains(tag), !isRepeated else {
      throw KeyedArchiveError(.stateRecord, at: nil, "chunk", expected: "kyds, rchv or surl once")
    }
    return try PropertyList(decoding: bytes, context)
  }

  private mutating func add(
    _ list: PropertyList, _ tag: String, _ place: @autoclosure () -> String, to node: inout ArchiveNode, at path: [String]
  ) throws(KeyedArchiveError) {
    let archive = try tag == "rchv" ? KeyedArchive(list, context) : KeyedArchive(plain: list, context)
    // The oddities of the list, and the losses of the graph.
    if !archive.oddities.isEmpty {
      let place = place()
      result.add(archive.oddities.map { $0.within(place) }, at: path)
    }
    var converter = GraphConverter(archive, context) { Self.reference($0, in: archive) }
    let state = try converter.state(of: archive.top, strays: archive.strays)
    try result.add(converter, at: path, context)
    if tag == "rchv" { node.state = state } else { node.attributes["appkit.\(tag)"] = .dictionary(state) }
  }

  /// Returns the path of a reference: the number of its window, and its identifier.
  private static func reference(_ object: KeyedObject, in archive: KeyedArchive) -> RestorationPath? {
    guard object.type?.name.isSameText(as: referenceClass) == true, object.values.count == 2,
      let identifier = archive.string(object["persistentIdentifier"]),
      let window = archive.integer(object["windowID"]), let number = UInt32(exactly: window)
    else { return nil }
    return try? RestorationPath(components: ["\(number)", identifier])
  }
}
