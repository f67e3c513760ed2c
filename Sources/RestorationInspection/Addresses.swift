package import RestorationArchive
package import StateRestoration

// The addresses that people write: paths, places of values, and generations, also in the form in which they are printed.

extension ArchiveReader {
  /// Returns the path that text stands for: the text form of a path, or what the tool prints for the path of a node.
  ///
  /// Printed text has escapes for invisible characters (`new\u{a}line`), and in trees no `~1` for a slash.
  ///
  /// - Returns: The path of a node, or the path that the text spells if there is no such node.
  /// - Throws: `path-syntax` for text that is neither.
  package func path(printedAs text: String) throws(ArchiveError) -> RestorationPath {
    let spelled = Result { () throws(ArchiveError) in try RestorationPath(parsing: text) }
    if case .success(let path) = spelled {
      do throws(ArchiveError) {
        if try node(at: path) != nil { return path }
      } catch {
        // The reader of the node reports the damage.
        return path
      }
    }
    if let application = try? application(), let found = Self.descendant(of: application, printedAs: Array(text.utf8)[...]) { return found }
    return text == RestorationPath.application.displayText ? .application : try spelled.get()
  }

  // The maximum path depth bounds the recursion, and no node is visited twice.
  private static func descendant(of parent: NodeReader, printedAs text: ArraySlice<UInt8>) -> RestorationPath? {
    var found: RestorationPath?
    parent.visitChildren { child in
      guard found == nil, let node = try? child.get(), let identifier = node.identifier else { return }
      let component = RestorationPath.application.appending(identifier)
      for printed in [identifier.escapedForDisplay, component.description.escapedForDisplay] where text.starts(with: printed.utf8) {
        let rest = text.dropFirst(printed.utf8.count)
        if rest.isEmpty { found = found ?? node.path }
        if found == nil, rest.first == UInt8(ascii: "/") { found = descendant(of: node, printedAs: rest.dropFirst()) }
      }
    }
    return found
  }
}

extension ValuePath {
  /// Returns the keys that words stand for: each is a key, or an address such as `history[1].title`.
  ///
  /// A word that is a key in its place is that key, whatever characters it has. A key may also be in quotes, or as it is
  /// printed. If nothing is found, the word is split at each full stop and bracket, so that ``entry(_:in:)`` tells how
  /// far it leads.
  package static func keys(_ words: some Sequence<String>, in state: ArchiveDictionary) -> [String] {
    var keys: [String] = []
    for word in words {
      if has(keys + [word], state) { keys.append(word) } else { expand(word, &keys, state) }
    }
    return keys
  }

  private static func has(_ keys: [String], _ state: ArchiveDictionary) -> Bool {
    if case .success = entry(keys[...], in: state) { true } else { false }
  }

  private static func expand(_ word: String, _ keys: inout [String], _ state: ArchiveDictionary) {
    var rest = Array(word.utf8)[...]
    repeat {
      let candidates = firstKeys(of: rest)
      var choice = (key: candidates.last?.key ?? String(decoding: rest, as: UTF8.self), end: candidates.last?.end ?? rest.endIndex)
      for candidate in candidates {
        let printed = candidate.key.unescapedFromDisplay
        guard let key = [candidate.key, printed].first(where: { has(keys + [$0], state) }) else { continue }
        choice = (key, candidate.end)
        break
      }
      keys.append(choice.key)
      rest = rest[choice.end...]
      if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
    } while !rest.isEmpty
  }

  /// Returns the keys with which an address may begin, the longest first, and where each ends.
  private static func firstKeys(of text: ArraySlice<UInt8>) -> [(key: String, end: Int)] {
    let (stop, open, close, quote) = (UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""))
    if text.first == open, let end = text.firstIndex(of: close) {
      return [(String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self), end + 1)]
    }
    let isQuoted = text.first == quote
    let start = text.startIndex + (isQuoted ? 1 : 0)
    let ends = text.indices.dropFirst().filter { text[$0] == stop || text[$0] == open } + [text.endIndex]
    return ends.reversed().compactMap { end in
      guard isQuoted else { return (String(decoding: text[start..<end], as: UTF8.self), end) }
      guard end > start, text[end - 1] == quote else { return nil }
      return (String(decoding: text[start..<(end - 1)], as: UTF8.self), end)
    }
  }
}

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

  /// The reason why an address leads nowhere.
  package enum Failure: Error {
    /// The store has no files of the scene; with the scenes that it has.
    case noScene(String, scenes: [String])
    /// The archive has no such generation; with those that it has, the newest first.
    case noGeneration(String, numbers: [UInt64])
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
      throw .noScene(scene, scenes: Set(catalog.generations.compactMap(\.archive.scene)).sorted())
    }
    let current = all.filter { ![.offered, .declined, .damaged].contains($0.mark) }
    let found = wanted > 0 ? all.last { $0.number == UInt64(wanted) } : current.dropFirst(wanted == .min ? .max : -wanted).first
    guard let found else { throw .noGeneration("\(wanted)", numbers: all.map(\.number)) }
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
