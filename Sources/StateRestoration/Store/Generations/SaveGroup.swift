import FoundationValues
import RestorationArchive

/// The record of a save of several archives, or of a removal, which makes it whole or nothing.
///
/// The store makes the record durable before the first file of the save. It deletes the record when all files are durable
/// and all removals are done. A process that finds the record decides once (``decided(among:)``):
///
///     files     scene-a.0000000012.rsta   scene-b.0000000007.link-0003.rsta      the save adds these
///     removals  scene-c.0000000009.rsta                                          and removes scene c up to number 9
///     due       scene-d.0000000004.rsta                                          an earlier save has removed scene d
struct SaveGroup: Equatable {
  static let fileName = "group"
  /// The maximum length of the record; it contains only names.
  static let maximumByteCount = 1 << 24

  /// The files that the save adds, at most one for each archive.
  var files: [GenerationFile] = []
  /// The archives that the save removes, with the last generation that goes.
  var removals: [ArchiveName: UInt64] = [:]
  /// The removals of earlier saves that are not done.
  var due: [ArchiveName: UInt64] = [:]

  /// The greatest number of a generation in the record.
  var greatestNumber: UInt64 {
    [files.map(\.generation).max(), removals.values.max(), due.values.max()].compactMap { $0 }.max() ?? 0
  }

  /// Whether a file belongs to a removal that must be carried out, whatever becomes of the save.
  func isDue(_ archive: ArchiveName, _ number: UInt64) -> Bool { due[archive].map { number <= $0 } ?? false }

  /// Decides about a save that was begun.
  ///
  /// If all its files exist, its removals must be carried out. If one is missing, the save has not happened, and its
  /// files are taken back. A file does not count once its archive has a newer one; a damaged file exists.
  ///
  /// - Parameter catalog: All files in the folder.
  /// - Returns: The removals that are left, and the files to take back.
  func decided(among catalog: GenerationCatalog) -> (left: SaveGroup, takenBack: [GenerationFile]) {
    var present: Set<GenerationFile> = []
    var newest: [ArchiveName: GenerationFile] = [:]
    for file in catalog.files {
      present.insert(file)
      if newest[file.archive].map({ file > $0 }) ?? true { newest[file.archive] = file }
    }
    let open = files.filter { file in newest[file.archive].map { $0 <= file } ?? true }
    let existing = open.filter { present.contains($0) }
    if existing.count < open.count { return (SaveGroup(due: due), existing) }
    return (SaveGroup(due: due.merging(removals) { max($0, $1) }), [])
  }
}

// MARK: Bytes

extension SaveGroup {
  func encoded() throws(ArchiveError) -> [UInt8] {
    let state: ArchiveDictionary = [
      "files": .array(files.map { .string($0.fileName) }), "removals": Self.value(removals), "due": Self.value(due),
    ]
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  private static func value(_ removals: [ArchiveName: UInt64]) -> ArchiveValue {
    .array(removals.map { Generation($0.key, $0.value).fileName }.sorted().map { .string($0) })
  }

  /// Parses a record; nil for anything but the bytes that a store has written.
  init?(_ bytes: [UInt8]) {
    guard let state = try? ArchiveTree(decoding: Data(bytes)).applicationState, state.count == 3,
      let files = Self.files(state["files"]), let removals = Self.removals(state["removals"]), let due = Self.removals(state["due"])
    else { return nil }
    (self.files, self.removals, self.due) = (files, removals, due)
  }

  /// The files of a list of names, one for each archive; nil for any other value.
  private static func files(_ value: ArchiveValue?) -> [GenerationFile]? {
    guard case .array(let values) = value else { return nil }
    var seen: Set<ArchiveName> = []
    let files = values.compactMap { value -> GenerationFile? in
      // No store gives a greater number.
      guard case .string(let name) = value, let file = GenerationFile(fileName: name),
        file.generation < GenerationCatalog.firstAbsurdNumber, seen.insert(file.archive).inserted
      else { return nil }
      return file
    }
    return files.count == values.count ? files : nil
  }

  private static func removals(_ value: ArchiveValue?) -> [ArchiveName: UInt64]? {
    guard let files = files(value), !files.contains(where: \.isLink) else { return nil }
    return Dictionary(files.map { ($0.archive, $0.generation) }) { first, _ in first }
  }
}

extension GenerationCatalog {
  /// All files, whatever their marks.
  fileprivate var files: [GenerationFile] { generations.map(\.file) + links }

  /// Returns the files as they are once the save of a record is decided, and its removals are done.
  func after(_ group: SaveGroup) -> GenerationCatalog {
    let (left, takenBack) = group.decided(among: self)
    let names = Set(takenBack.map(\.fileName))
    var catalog = self
    catalog.generations.removeAll { left.isDue($0.archive, $0.number) || names.contains($0.fileName) }
    catalog.links.removeAll { left.isDue($0.archive, $0.generation) || names.contains($0.fileName) }
    return catalog
  }
}
