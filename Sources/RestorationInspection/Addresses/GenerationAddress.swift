import RestorationArchive
package import StateRestoration

extension ArchiveName {
  /// Returns the scene of a store that text stands for: its identifier, or what the tool prints for that; nil if no scene can
  /// have it.
  package static func scene(printedAs text: String, in folder: String) -> ArchiveName? {
    let names = [text, text.unescapedFromDisplay].compactMap { ArchiveName.scene($0) }
    guard names.first != names.last, let store = try? RestorationStore(folder: folder, access: .reading) else { return names.last }
    let known = (try? store.archivesWithFiles()) ?? []
    return names.first { known.contains($0) } ?? names.last
  }
}

/// A saved state of a store, by words: `STORE@7`, `STORE@-1`, `STORE@SCENE` or `STORE@SCENE@7`.
package struct GenerationAddress: Sendable {
  package let folder: String
  /// The scene; nil if none is named.
  package let scene: ArchiveName?
  /// The generation: its number, or if not positive its distance from the newest; nil if none is named.
  package let number: Int?

  /// The reason why an address leads nowhere, and what the store has instead, in words.
  package struct Failure: Error {
    package let message: String
    package let alternatives: String?
  }

  /// Parses an address; nil if no folder is named before its first `@`.
  ///
  /// The newest generation is 0, the one before it -1. A scene whose identifier is a number is named with a generation.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    for count in stride(from: parts.count - 1, to: 0, by: -1) {
      let name = parts[..<count].joined(separator: "@")
      guard let folder = Self.store(in: name) else { continue }
      let words = Array(parts[count...])
      let last = words.count > 1 || Int(words[0]) != nil ? Int(words[words.count - 1]) : nil
      let scene = (last == nil ? words : words.dropLast()).joined(separator: "@")
      let named = scene.isEmpty ? nil : ArchiveName.scene(printedAs: scene, in: folder)
      guard scene.isEmpty || named != nil else { return nil }
      (self.folder, self.scene, number) = (folder, named, last)
      return
    }
    return nil
  }

  /// Returns the folder of the store that a folder is or that it contains; nil if it is none, and has none or several.
  ///
  /// An app has its store in a folder of its own, such as `state`.
  package static func store(in folder: String) -> String? {
    if isStore(folder) { return folder }
    // A folder with a thousand entries is not that of an app.
    let paths = ChainFiles.names(in: folder).prefix(1000).map { ChainFiles.path(of: $0, in: folder) }
    let stores = paths.filter { ByteStream.kind(ofPath: $0) == .folder && isStore($0) }
    return stores.count == 1 ? stores[0] : nil
  }

  private static func isStore(_ folder: String) -> Bool {
    let names = ChainFiles.names(in: folder)
    return names.contains(where: StoreFileName.isLedger) || names.contains { Generation(fileName: $0) != nil }
  }

  /// Finds the file: the last link of the generation, or its archive if it has none.
  package func file() throws(Failure) -> String {
    let names = ChainFiles.names(in: folder)
    // The files that a launch sees: without those of a removal, or of a save of several archives, that is not finished.
    let catalog = (try? RestorationStore(folder: folder, access: .reading).reader.catalog()) ?? GenerationCatalog(names: names)
    let wanted = number ?? 0
    let archive = scene ?? catalog.archive(ofGeneration: UInt64(clamping: wanted))
    let all = catalog.generations.filter { $0.archive == archive }.sorted(by: >)
    if all.isEmpty, let scene = archive.scene {
      let scenes = Set(catalog.generations.compactMap(\.archive.scene)).sorted().map(\.escapedForDisplay)
      let alternatives = scenes.isEmpty ? "it has none" : "its scenes are \(scenes.joined(separator: ", "))"
      throw Failure(message: "the store has no scene \(scene.escapedForDisplay)", alternatives: alternatives)
    }
    // The newest one is what the app has; those before it include what was offered instead.
    let readable = all.filter { ![.declined, .damaged].contains($0.mark) }
    let current = readable.drop { $0.mark == .offered }
    let found = wanted > 0 ? all.last { $0.number == UInt64(wanted) } : current.dropFirst(wanted == .min ? .max : -wanted).first
    guard let found else {
      let owner = scene.map { "the \($0)" } ?? "the store"
      let numbers = (scene == nil ? catalog.generations : all).prefix(16).map { "\($0.number)" }.joined(separator: ", ")
      throw Failure(message: "\(owner) has no generation \(wanted)", alternatives: numbers.isEmpty ? nil : "its generations are \(numbers)")
    }
    let base = ChainFiles.path(of: found.fileName, in: folder)
    return ChainFiles.links(after: base)?.last ?? base
  }
}

extension GenerationCatalog {
  /// Returns the archive of a generation: the app's own if that has the number, or if not exactly one scene has it.
  ///
  /// A store gives each number once; files that people copy may have the same one.
  package func archive(ofGeneration number: UInt64) -> ArchiveName {
    let owners = Set(generations.lazy.filter { $0.number == number }.map(\.archive))
    return owners.count == 1 ? owners.first ?? .application : .application
  }
}
