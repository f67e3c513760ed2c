public import FoundationValues
public import RestorationArchive

extension ArchiveTree {
  /// Returns the archive as a binary keyed archive that Foundation's `NSKeyedUnarchiver` reads (`Spec/keyed-archive.md`,
  /// section 4).
  ///
  /// Reading it with ``ImportedArchive`` gives an equal tree.
  ///
  ///     let data = try tree.keyedArchive()
  ///     // On an Apple system:
  ///     let root = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
  ///
  /// - Throws: `not-expressible`, with the reason, if the tree is not one that an archive can store.
  /// - Complexity: O(n log n) in the size of the tree.
  public func keyedArchive() throws(KeyedArchiveError) -> Data {
    do throws(ArchiveError) {
      _ = try encoded()
    } catch {
      throw KeyedArchiveError(.notExpressible, at: nil, "archive", found: "\(error)")
    }
    var writer = KeyedTreeWriter()
    return Data(try writer.propertyList(of: self).encodedBinary())
  }
}

extension ArchiveTree {
  /// Returns the archive as a plain property list, for programs that show one (`Spec/keyed-archive.md`, section 4).
  ///
  /// - Throws: `not-expressible`, with the reason, if the tree is not one that an archive can store.
  /// - Complexity: O(n log n) in the size of the tree.
  public func propertyList() throws(KeyedArchiveError) -> PropertyList {
    do throws(ArchiveError) {
      _ = try encoded()
    } catch {
      throw KeyedArchiveError(.notExpressible, at: nil, "archive", found: "\(error)")
    }
    var writer = KeyedTreeWriter(plain: true)
    return writer.propertyList(of: self)
  }
}

/// A writer of the layout; the tree is one that an archive can store, so that its depth is limited.
private struct KeyedTreeWriter {
  private var builder: KeyedArchiveBuilder

  init(plain: Bool = false) {
    builder = KeyedArchiveBuilder(plain: plain)
  }

  mutating func propertyList(of tree: ArchiveTree) -> PropertyList {
    var members: [(String, Int)] = [(KeyedLayout.version, builder.addScalar(.integer(1)))]
    if tree.minorVersion != 0 { members.append(("minorVersion", integer(tree.minorVersion))) }
    let header = tree.header.entries
    if !header.isEmpty { members.append(("header", add(header))) }
    if !tree.applicationState.isEmpty { members.append(("application", add(tree.applicationState))) }
    if !tree.nodes.isEmpty { members.append(("nodes", add(tree.nodes))) }
    if !tree.sections.isEmpty {
      let sections = tree.sections.map { section in
        builder.addDictionary([
          ("code", builder.addString(section.code)), ("data", builder.addScalar(.data([UInt8](section.data)))),
        ])
      }
      members.append(("sections", builder.addArray(sections)))
    }
    let root = builder.addDictionary(members.map { (key: $0.0, value: $0.1) })
    return builder.finish(top: KeyedLayout.root, root)
  }

  private mutating func integer(_ value: some FixedWidthInteger) -> Int {
    builder.addScalar(.integer(Int128(value)))
  }

  private mutating func add(_ nodes: [ArchiveNode]) -> Int {
    let numbers = nodes.map { add($0) }
    return builder.addArray(numbers)
  }

  private mutating func add(_ node: ArchiveNode) -> Int {
    var members: [(key: String, value: Int)] = [("identifier", builder.addString(node.identifier))]
    if let type = node.type { members.append(("type", builder.addString(type))) }
    if node.schemaVersion != 0 { members.append(("schema", integer(node.schemaVersion))) }
    if let origin = node.origin { members.append(("origin", add(origin))) }
    if let provider = node.provider {
      let names = [("name", builder.addString(provider.name)), ("identifier", builder.addString(provider.identifier))]
      members.append(("provider", builder.addDictionary(names.map { (key: $0.0, value: $0.1) })))
    }
    if !node.attributes.isEmpty { members.append(("attributes", add(node.attributes))) }
    if !node.state.isEmpty { members.append(("state", add(node.state))) }
    if !node.children.isEmpty { members.append(("children", add(node.children))) }
    return builder.addDictionary(members)
  }

  private mutating func add(_ origin: ArchiveOrigin) -> Int {
    var members: [(key: String, value: Int)] = [("sessionsCarried", integer(origin.sessionsCarried))]
    if let version = origin.bundleVersion { members.append(("bundleVersion", builder.addString(version))) }
    if let timestamp = origin.timestamp {
      members.append(("timestamp", builder.addDate(timestamp.timeIntervalSinceReferenceDate)))
    }
    return builder.addDictionary(members)
  }

  // MARK: Values

  private mutating func add(_ dictionary: ArchiveDictionary) -> Int {
    let entries = dictionary.map { entry in
      let value = add(entry.value)
      return (key: entry.key, value: entry.isSensitive ? builder.addDictionary([(KeyedLayout.sensitive, value)]) : value)
    }
    return builder.addDictionary(entries)
  }

  private mutating func add(_ value: ArchiveValue) -> Int {
    switch value {
    case .null: return builder.addNull()
    case .bool(let value): return builder.addScalar(.bool(value))
    case .integer(let value):
      // One of the two holds every integer of an archive.
      let wide = value.converted(to: Int64.self).map { Int128($0) } ?? Int128(value.converted(to: UInt64.self) ?? 0)
      return builder.addScalar(.integer(wide))
    case .float(let value): return builder.addReal(value)
    case .string(let text): return builder.addString(text)
    case .data(let data): return builder.addScalar(.data([UInt8](data)))
    case .date(let date): return builder.addDate(date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid): return builder.addUUID(uuid.bytes)
    case .url(let text):
      guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else {
        return builder.addDictionary([(KeyedLayout.url, builder.addString(text))])
      }
      return builder.addURL(text)
    case .array(let elements):
      let numbers = elements.map { add($0) }
      return builder.addArray(numbers)
    case .dictionary(let dictionary):
      let number = add(dictionary)
      guard dictionary.count == 1, dictionary[0].key.utf8.first == UInt8(ascii: "$") else { return number }
      return builder.addDictionary([(KeyedLayout.dictionary, number)])
    case .reference(let path):
      let components = path.components.map { builder.addString($0) }
      return builder.addDictionary([(KeyedLayout.reference, builder.addArray(components))])
    }
  }
}
