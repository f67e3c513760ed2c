import ArchiveFormat
import FoundationValues
public import RestorationArchive

/// A property list, keyed archive or state archive of UIKit or AppKit, as an archive of this package
/// (`Spec/imports.md`, sections 3 to 5).
///
///     let imported = try ImportedArchive(decoding: bytes)
///     for note in imported.notes { print(note) }
///     let archive = try imported.tree.encoded()
///
/// What cannot be a value of this format is kept as bytes, and noted. A note says if anything was lost, or if the source
/// has an oddity, which a strict reader refuses.
public struct ImportedArchive: Sendable {
  /// The kind of the source.
  public enum Source: String, Sendable, CaseIterable {
    /// A state archive of UIKit.
    case uiKit = "uikit-state"
    /// A saved state of AppKit, or a file of one.
    case appKit = "appkit-state"
    /// An archive of this package in the layout of `Spec/keyed-archive.md`, section 4.
    case restorationArchive = "keyed-restoration-archive"
    /// Any other keyed archive.
    case keyedArchive = "keyed-archive"
    /// Any other property list.
    case propertyList = "property-list"

    /// The kind with its article, for people.
    public var words: String {
      switch self {
      case .uiKit: "a state archive of UIKit"
      case .appKit: "a saved state of AppKit"
      case .restorationArchive: "a restoration archive as a keyed archive"
      case .keyedArchive: "a keyed archive"
      case .propertyList: "a property list"
      }
    }
  }

  /// Something that the import could not turn into a value, or that the source does not say.
  public struct Note: Sendable, Hashable, CustomStringConvertible {
    /// The meaning of a note for the result.
    public enum Kind: String, Sendable, CaseIterable {
      /// The source is as it should be.
      case remark
      /// The source has an oddity, and was read like Apple's own parser reads it (`Spec/imports.md`, rule R-K2-6).
      case oddity
      /// Part of the source is missing from the tree as values.
      case loss
    }

    /// The path of the node it is about; nil for the archive as a whole.
    public let path: RestorationPath?
    /// What was found, in words.
    public let text: String
    /// The meaning for the result.
    public let kind: Kind
    /// Whether part of the source is missing from the tree as values.
    public var isLoss: Bool { kind == .loss }

    init(_ text: String, path: RestorationPath? = nil, _ kind: Kind = .loss) {
      self.path = path
      self.text = text
      self.kind = kind
    }

    /// The note on one line, safe to print.
    public var description: String { path.map { "\($0.displayText): \(text)" } ?? text }
  }

  /// The kind of the source.
  public let source: Source
  /// The content.
  public internal(set) var tree: ArchiveTree
  /// What the tree does not show, in the order of the source.
  public internal(set) var notes: [Note]
  /// Whether objects of the source are shared or refer to each other in circles, and are therefore out of line.
  public internal(set) var hasOutOfLineObjects = false
  /// The number of small collections and records of the source that are shared, and copied to each of their places
  /// (`Spec/imports.md`, rule R-K3-2).
  public internal(set) var copiedObjectCount = 0
  /// The number of notes of each kind of which a source may have any number, by the words for those that are not listed.
  private var noteCounts: [(others: StaticString, kind: Note.Kind, count: Int)] = []

  init(_ source: Source, tree: ArchiveTree = ArchiveTree(), notes: [Note] = []) {
    self.source = source
    self.tree = tree
    self.notes = notes
  }

  /// Returns whether content looks like one of the sources: the first bytes decide, unless it ends as an archive does whose first
  /// bytes are damaged.
  public static func isSource(_ bytes: [UInt8]) -> Bool {
    beginsAsSource(bytes) && !ArchivePrefix.isAtEnd(bytes.span, of: bytes.count)
  }

  /// Whether bytes begin as a file does that is imported; a damaged archive may begin so too.
  package static func beginsAsSource(_ head: [UInt8]) -> Bool {
    PropertyList.form(of: head) != nil || head.starts(with: SavedStateRecord.magic)
  }

  /// Whether a file has the mark of sensitive values in our layout of keyed archives (`Spec/keyed-archive.md`), readable or not.
  package static func marksSensitiveValues(_ bytes: [UInt8]) -> Bool {
    let context = ImportContext(.standard, byteCount: bytes.count, .salvage)
    _ = try? PropertyList(decoding: bytes, context)
    return context.hidesValues
  }

  /// Imports a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The resources that reading may take, for all archives in the file together.
  ///   - tolerance: The faults that are read nevertheless, each of which is a note. In the place of an object that is lost is
  ///     a record of the class `$lost`.
  ///   - interpretsKnownClasses: Whether objects of well-known classes, such as fonts and colors, become values that people read
  ///     (`Spec/imports.md`, rule R-K3-4). If not, they are records with all of their fields.
  /// - Throws: An error with its offset if the file as a whole cannot be read, or exceeds the limits; if it is salvaged, only
  ///   if nothing is whole. A fault in one object of a state archive costs that object only, and is a note.
  /// - Complexity: O(n) in the length of the file, whatever it contains.
  public init(
    decoding bytes: [UInt8], limits: ImportLimits = .standard, tolerance: ImportTolerance = .oddities, interpretsKnownClasses: Bool = false
  ) throws(KeyedArchiveError) {
    try self.init(decoding: bytes, ImportContext(limits, byteCount: bytes.count, tolerance, readable: interpretsKnownClasses))
  }

  /// Imports a file within the rest of the resources of several.
  package init(decoding bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) {
    context.hidesValues = false
    try self.init(bytes, context)
    if context.hidesValues { hideValues() }
  }

  /// Marks all values as sensitive, unless the source says which ones are: in an archive of ours that is damaged, in a plain list
  /// of one, or with an archive of ours in it, any may be (`Spec/keyed-archive.md`, rule R-K4-3).
  private mutating func hideValues() {
    guard source != .restorationArchive else { return }
    tree.applicationState = tree.applicationState.hidden
    tree.nodes.changeAll { node in
      node.state = node.state.hidden
      // No entry of attributes can be sensitive itself.
      node.attributes = ArchiveDictionary(node.attributes.map { .init(key: $0.key, value: $0.value.hidden) })
    }
  }

  private init(_ bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) {
    if bytes.starts(with: SavedStateRecord.magic) {
      self = AppKitImport.archive(ofLog: bytes)
      return
    }
    let list = try PropertyList(decoding: bytes, context)
    if SavedState.isWindowList(list) {
      self = try AppKitImport.archive(of: list, context)
    } else if let archive = try Self.keyedArchive(list, context) {
      try self.init(archive, context)
      add(archive.oddities, isOutermost: true)
      return
    } else {
      self.init(.propertyList)
      try fill(with: KeyedArchive(plain: list, context), context)
    }
    add(list.oddities + context.takeOddities(), isOutermost: true)
  }

  /// Returns the kind of a file without its values, within the rest of the resources of several.
  package static func source(of bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) -> Source {
    if bytes.starts(with: SavedStateRecord.magic) { return .appKit }
    let list = try PropertyList(decoding: bytes, context)
    if SavedState.isWindowList(list) { return .appKit }
    guard let archive = try keyedArchive(list, context) else { return .propertyList }
    if UIKitImport.isStateArchive(archive) { return .uiKit }
    return KeyedTreeReader(archive: archive, context: context).isArchive ? .restorationArchive : .keyedArchive
  }

  /// Returns a list as a keyed archive; nil if it is none, or what is left of it is none any more.
  private static func keyedArchive(_ list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) -> KeyedArchive? {
    guard KeyedArchive.isArchive(list) else { return nil }
    do throws(KeyedArchiveError) {
      return try KeyedArchive(list, context)
    } catch {
      guard context.tolerance == .salvage, error.kind != .limit else { throw error }
      return nil
    }
  }

  /// Imports the two files of a saved state of AppKit.
  ///
  /// - Parameters:
  ///   - windows: The content of `windows.plist`.
  ///   - data: The content of `data.data`; nil if there is no such file.
  ///   - limits: The resources that reading may take, for all archives in the files together.
  ///   - tolerance: The faults that are read nevertheless, each of which is a note.
  ///   - interpretsKnownClasses: Whether objects of well-known classes, such as fonts and colors, become values that people read
  ///     (`Spec/imports.md`, rule R-K3-4). If not, they are records with all of their fields.
  /// - Throws: An error in the list of windows; if it is salvaged, only if nothing of it is whole. A fault in a record costs
  ///   that record only, and is a note.
  public init(
    windows: [UInt8], data: [UInt8]?, limits: ImportLimits = .standard, tolerance: ImportTolerance = .oddities,
    interpretsKnownClasses: Bool = false
  ) throws(KeyedArchiveError) {
    let byteCount = windows.count + (data?.count ?? 0)
    let context = ImportContext(limits, byteCount: byteCount, tolerance, readable: interpretsKnownClasses)
    self = try AppKitImport.archive(of: SavedState(windows: windows, data: data, context), context)
    if context.hidesValues { hideValues() }
    if data == nil { notes.append(Note("there is no data.data: the state of the windows is missing")) }
    if data?.isEmpty == true { notes.append(Note("data.data is empty: the state of the windows is missing")) }
  }

  private init(_ archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) {
    if UIKitImport.isStateArchive(archive) {
      self = try UIKitImport.archive(of: archive, context)
      return
    }
    if let tree = try Self.layoutTree(archive, context) {
      self.init(.restorationArchive, tree: tree)
      try addStrays(of: archive, context)
    } else {
      self.init(.keyedArchive)
      try fill(with: archive, context)
    }
    add(context.takeOddities())
  }

  /// Returns an archive in our layout; nil for any other, or if so much of it is lost that its objects say more.
  private static func layoutTree(_ archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) -> ArchiveTree? {
    let reader = KeyedTreeReader(archive: archive, context: context)
    guard reader.isArchive else { return nil }
    do throws(KeyedArchiveError) {
      let tree = try reader.tree()
      guard context.tolerance == .salvage else { return tree }
      _ = try Result { () throws(ArchiveError) in try tree.encoded() }
        .mapError { KeyedArchiveError(.archiveLayout, at: nil, "archive", found: "\($0)") }.get()
      return tree
    } catch {
      try context.lose(error, as: "its objects are kept as those of any keyed archive")
      // Without the layout, no mark is what it was.
      context.hidesValues = true
      return nil
    }
  }

  /// Makes the named values of a keyed archive the application state.
  private mutating func fill(with archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) {
    var converter = GraphConverter(archive, context)
    tree.applicationState = try converter.state(of: archive.top, strays: archive.strays)
    try add(converter, context)
  }

  /// Adds a node with the objects of an archive in our layout to which nothing leads any more: the application state is the app's
  /// own, and may have the same keys.
  private mutating func addStrays(of archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) {
    // A lost object is left out of the layout, with all that only it leads to.
    let strays = archive.oddities.contains(where: \.isLoss) && context.tolerance == .salvage ? archive.findStrays(passesLost: false) : []
    guard !strays.isEmpty else { return }
    var (node, number) = (ArchiveNode(":lost"), 1)
    while tree.nodes.contains(where: { $0.identifier.isSameText(as: node.identifier) }) {
      number += 1
      node.identifier = ":lost \(number)"
    }
    var converter = GraphConverter(KeyedArchive(archiver: "", top: [], objects: archive.objects, strays: strays), context)
    node.state = try converter.state(of: [], strays: strays)
    tree.nodes.append(node)
    try add(converter, at: [node.identifier], context)
  }

  /// Records what one archive of the source shares, and notes if lost objects led to others in it.
  ///
  /// The path is that of its node.
  mutating func add(
    _ converter: GraphConverter, at path: @autoclosure () -> [String] = [], _ context: ImportContext
  ) throws(KeyedArchiveError) {
    if converter.hasOutOfLineObjects { hasOutOfLineObjects = true }
    copiedObjectCount += converter.copiedObjectCount
    let count = converter.leftOutCount
    if count > 0, isListed(.remark, "archives with objects to which nothing leads") {
      let text = "\(count == 1 ? "1 object, to which nothing leads, is" : "\(count) objects, to which nothing leads, are") left out"
      try note(text, at: path(), .remark, context)
    }
    guard converter.hasStrays else { return }
    try note("what lost objects led to is under \"$$lost\" and its number in the file", at: path(), .loss, context)
  }

  /// Adds notes about the oddities of a property list in the source.
  ///
  /// - Parameters:
  ///   - oddities: The oddities.
  ///   - path: The path of the node that the list is the state of; nil for the list that contains everything.
  ///   - isOutermost: Whether the notes come before all others.
  mutating func add(_ oddities: [PropertyListOddity], at path: [String]? = nil, isOutermost: Bool = false) {
    guard !oddities.isEmpty else { return }
    let path = path.flatMap { try? RestorationPath(components: $0) }
    let added = oddities.map { Note("\($0)", path: path, $0.isLoss ? .loss : .oddity) }
    notes.insert(contentsOf: added, at: isOutermost ? 0 : notes.endIndex)
  }

  /// Adds a note, by default a remark about the source.
  package mutating func note(_ text: String, at path: [String]? = nil, _ kind: Note.Kind = .remark) {
    notes.append(Note(text, path: path.flatMap { try? RestorationPath(components: $0) }, kind))
  }

  /// Adds a note of a kind of which a source may have any number: the first hundred; `others` are words for the rest.
  mutating func note(
    _ text: @autoclosure () -> String, at path: @autoclosure () -> [String]? = nil, _ kind: Note.Kind = .remark, others: StaticString
  ) {
    if isListed(kind, others) { note(text(), at: path(), kind) }
  }

  /// Notes that a part cannot be read and is kept as bytes.
  mutating func noteKept(_ text: String, at path: [String], _ context: ImportContext) throws(KeyedArchiveError) {
    if isListed(.loss, "parts kept as bytes") { try note(text, at: path, .loss, context) }
  }

  /// Counts a note; false if there are a hundred of its kind.
  private mutating func isListed(_ kind: Note.Kind, _ others: StaticString) -> Bool {
    // There are few kinds.
    guard let index = noteCounts.firstIndex(where: { "\($0.others)" == "\(others)" }) else {
      noteCounts.append((others, kind, 1))
      return true
    }
    noteCounts[index].count += 1
    return noteCounts[index].count <= 100
  }

  /// Adds a note with a path, which may be long and have any number of notes, at the expense of the context.
  private mutating func note(_ text: String, at path: [String], _ kind: Note.Kind, _ context: ImportContext) throws(KeyedArchiveError) {
    try context.spend(on: path)
    note(text, at: path.isEmpty ? nil : path, kind)
  }

  /// Notes how many notes of each kind are not listed.
  mutating func noteOthers() {
    for (others, kind, count) in noteCounts where count > 100 { note("and \(count - 100) more \(others)", kind) }
  }
}

extension [ArchiveNode] {
  /// Changes each node, and all nodes below it; the maximum path depth bounds the recursion.
  package mutating func changeAll(_ change: (inout ArchiveNode) -> Void) {
    for index in indices {
      change(&self[index])
      self[index].children.changeAll(change)
    }
  }
}

extension ArchiveDictionary {
  /// The entries, all of them sensitive.
  fileprivate var hidden: ArchiveDictionary { ArchiveDictionary(map { Entry(key: $0.key, value: $0.value, isSensitive: true) }) }
}

extension ArchiveValue {
  /// The value of an attribute, with everything in it that the source says about an object marked as sensitive.
  fileprivate var hidden: ArchiveValue {
    switch self {
    case .dictionary(let entries): .dictionary(entries.hidden)
    case .array(let elements): .array(elements.map(\.hidden))
    case .data: .dictionary((["$data": self] as ArchiveDictionary).hidden)
    default: self
    }
  }
}
