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

  init(_ source: Source, tree: ArchiveTree = ArchiveTree(), notes: [Note] = []) {
    self.source = source
    self.tree = tree
    self.notes = notes
  }

  /// Returns whether content looks like one of the sources; the first bytes decide.
  public static func isSource(_ bytes: [UInt8]) -> Bool {
    PropertyList.form(of: bytes) != nil || bytes.starts(with: SavedStateRecord.magic)
  }

  /// Whether a file has the mark of sensitive values in our layout of keyed archives (`Spec/keyed-archive.md`), readable or not.
  package static func marksSensitiveValues(_ bytes: [UInt8]) -> Bool {
    let mark = Array(KeyedLayout.sensitive.utf8)
    // In UTF-16 of either order there is a zero between two letters.
    return bytes.firstRange(of: mark) != nil || bytes.firstRange(of: Array(mark.map { [$0] }.joined(separator: [0]))) != nil
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
    try self.init(bytes, ImportContext(limits, byteCount: bytes.count, tolerance, readable: interpretsKnownClasses))
    guard source == .keyedArchive || source == .propertyList, Self.marksSensitiveValues(bytes) else { return }
    // An archive of ours that is damaged, or a plain list of one: any of its values may be sensitive.
    for key in tree.applicationState.map(\.key) { tree.applicationState.setSensitive(true, forKey: key) }
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
      let archive = try KeyedArchive(plain: list, context)
      try fill(with: archive.top, of: archive, context)
    }
    add(list.oddities + context.takeOddities(), isOutermost: true)
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
    if data == nil { notes.append(Note("there is no data.data: the state of the windows is missing")) }
    if data?.isEmpty == true { notes.append(Note("data.data is empty: the state of the windows is missing")) }
  }

  private init(_ archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) {
    if UIKitImport.isStateArchive(archive) {
      self = try UIKitImport.archive(of: archive, context)
      return
    }
    let hasLosses = context.tolerance == .salvage && archive.oddities.contains(where: \.isLoss)
    let strays = hasLosses ? archive.strays : []
    if let tree = try Self.layoutTree(archive, context) {
      self.init(.restorationArchive, tree: tree)
      if !strays.isEmpty { try fill(with: strays, of: archive, context) }
    } else {
      self.init(.keyedArchive)
      try fill(with: archive.top + strays, of: archive, context)
    }
    add(context.takeOddities())
    guard !strays.isEmpty else { return }
    notes.append(Note("what lost objects led to is in the application state, under \"$$lost\" and its number in the file"))
    // What marked them as sensitive may be lost too.
    for key in strays.map({ "$" + $0.key }) + ["$objects"] { tree.applicationState.setSensitive(true, forKey: key) }
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
      return nil
    }
  }

  /// Adds named values of a keyed archive to the application state.
  private mutating func fill(with top: [KeyedField], of archive: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) {
    var converter = GraphConverter(KeyedArchive(archiver: archive.archiver, top: top, objects: archive.objects), context)
    tree.applicationState = try ArchiveDictionary(Array(tree.applicationState) + Array(converter.state(of: top)))
    addSharing(of: converter)
  }

  /// Records what one archive of the source shares.
  mutating func addSharing(of converter: GraphConverter) {
    if converter.hasOutOfLineObjects { hasOutOfLineObjects = true }
    copiedObjectCount += converter.copiedObjectCount
  }

  /// Adds notes about the oddities of a property list in the source.
  ///
  /// - Parameters:
  ///   - oddities: The oddities.
  ///   - path: The path of the node that the list is the state of; nil for the list that contains everything.
  ///   - isOutermost: Whether the notes come before all others.
  mutating func add(_ oddities: [PropertyListOddity], at path: RestorationPath? = nil, isOutermost: Bool = false) {
    let added = oddities.map { Note("\($0)", path: path, $0.isLoss ? .loss : .oddity) }
    notes.insert(contentsOf: added, at: isOutermost ? 0 : notes.endIndex)
  }

  /// Adds a note, by default a remark about the source.
  package mutating func note(_ text: String, at path: [String]? = nil, _ kind: Note.Kind = .remark) {
    notes.append(Note(text, path: path.flatMap { try? RestorationPath(components: $0) }, kind))
  }
}
