package import RestorationArchive

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

  // The maximum path depth bounds the recursion. No node is visited twice: the two spellings of an identifier are mostly the
  // same, and of two different ones the text has at most one.
  private static func descendant(of parent: NodeReader, printedAs text: ArraySlice<UInt8>) -> RestorationPath? {
    var found: RestorationPath?
    parent.visitChildren { child in
      guard found == nil, let node = try? child.get(), let identifier = node.identifier else { return }
      let printed = identifier.escapedForDisplay
      let spelled = RestorationPath.application.appending(identifier).description.escapedForDisplay
      for printed in printed.isSameText(as: spelled) ? [printed] : [printed, spelled] where text.starts(with: printed.utf8) {
        let rest = text.dropFirst(printed.utf8.count)
        if rest.isEmpty { found = found ?? node.path }
        if found == nil, rest.first == UInt8(ascii: "/") { found = descendant(of: node, printedAs: rest.dropFirst()) }
      }
    }
    return found
  }
}
