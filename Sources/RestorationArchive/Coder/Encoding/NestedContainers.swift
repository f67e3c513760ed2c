import ArchiveFormat

/// The nested containers and super-encoders of one value.
///
/// They may be written in any order. Each has an encoder with its own buffer, which is copied when the value ends.
final class NestedContainers {
  struct Item {
    /// The key of the container, in a dictionary.
    let key: String
    /// The writer's number for the key, in a dictionary; negative for an inline key.
    let number: Int
    /// The container's position in the buffer, in an array.
    let place: Int
    let encoder: ArchiveEncoder
    /// Whether another value was encoded under the key later.
    var isReplaced = false
  }

  /// The number of items or entries up to which a linear search is faster than a table; most values have few.
  private static let linearSearchLimit = 16

  fileprivate(set) var items: [Item] = []
  /// By key: the last item and the last entry under the key, among those indexed so far.
  private var itemsByKey: [TextKey: Int] = [:]
  private var entriesByKey: [TextKey: Int] = [:]
  private var knownItems = 0
  private var knownEntries = 0

  // MARK: Items

  /// Returns the encoder of the container under a key.
  func encoder(under key: String, number: Int) -> ArchiveEncoder? {
    index(of: key, number: number).map { items[$0].encoder }
  }

  /// Ends the container under a key, because another value was encoded there; returns false if there is none.
  func replace(_ key: String, number: Int) -> Bool {
    guard let index = index(of: key, number: number) else { return false }
    items[index].isReplaced = true
    items[index].encoder.end()
    return true
  }

  private func index(of key: String, number: Int) -> Int? {
    if items.count <= Self.linearSearchLimit {
      return items.lastIndex { !$0.isReplaced && $0.number == number && (number >= 0 || $0.key.isIdenticalText(to: key)) }
    }
    for index in knownItems..<items.count { itemsByKey[TextKey(items[index].key)] = index }
    knownItems = items.count
    return itemsByKey[TextKey(key)].flatMap { items[$0].isReplaced ? nil : $0 }
  }

  /// Ends all containers, which then refuse to write.
  func end() {
    for item in items { item.encoder.end() }
  }

  // MARK: Entries

  /// Returns the last entry under a key among the entries of an open container.
  func lastEntry(under key: String, number: Int, of writer: StateWriter) -> Int? {
    let entries = writer.openEntries
    if entries.count <= Self.linearSearchLimit {
      return entries.reversed().first { writer.isEntry($0, under: key, number: number) }
    }
    // Entries of an open container do not move, unless they are removed before the next one begins.
    for entry in max(knownEntries, entries.lowerBound)..<entries.upperBound {
      entriesByKey[TextKey(writer.key(ofEntry: entry))] = entry
    }
    knownEntries = entries.upperBound
    return entriesByKey[TextKey(key)]
  }
}

// Nested containers and super-encoders, each with an encoder of its own.
extension ArchiveEncoder {
  /// Returns the encoder of the nested container under a key: the existing one, or a new one that starts with the
  /// content encoded under the key.
  ///
  /// If another value is being encoded, the container would become part of that value; the encoding of that value then
  /// throws.
  func nestedEncoder(under key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let name = key.stringValue
    let number = writer.number(ofKey: name)
    let nested = nestedContainers
    if let encoder = nested.encoder(under: name, number: number) { return encoder }
    let encoder = addNested(key, name, number: number)
    if let entry = nested.lastEntry(under: name, number: number, of: writer), entry >= context.firstEntry {
      encoder.resume(withEntry: entry, of: writer)
    }
    return encoder
  }

  /// Returns an encoder for a value that replaces the content encoded under a key.
  func superEncoder(under key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let name = key.stringValue
    let number = writer.number(ofKey: name)
    replaceNested(name, number: number)
    return addNested(key, name, number: number)
  }

  private func addNested(_ key: any CodingKey, _ name: String, number: Int) -> ArchiveEncoder {
    let encoder = makeNested(key, mark: .possible)
    nestedContainers.items.append(NestedContainers.Item(key: name, number: number, place: 0, encoder: encoder))
    context.obstacle = .nestedContainers
    return encoder
  }

  /// Returns an encoder for the next element of an array.
  func elementEncoder(identity: Int) -> ArchiveEncoder {
    let key = PlainCodingKey.index(identity == context.identity ? context.count : 0)
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let encoder = makeNested(key, mark: .impossible)
    nestedContainers.items.append(NestedContainers.Item(key: "", number: -1, place: writer.buffer.count, encoder: encoder))
    context.count += 1
    return encoder
  }

  private var nestedContainers: NestedContainers {
    if let nested = context.nested { return nested }
    let nested = NestedContainers()
    context.nested = nested
    return nested
  }

  private func makeNested(_ key: any CodingKey, mark: Mark, obstacle: EncodingObstacle? = nil) -> ArchiveEncoder {
    let place = CodingPlace(container: pathNode, key: .key(key))
    return ArchiveEncoder(
      StateWriter(capacity: 0, gap: 0, depth: writer.depth), assembler, userInfo,
      Context(identity: 0, place: place, type: context.type, mark: mark, obstacle: obstacle))
  }

  /// Returns an encoder that reports the error, for a request at the wrong time or after an error.
  private func refusingEncoder(_ key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard identity == context.identity else {
      fail(Self.misuse)
      return makeNested(key, mark: .impossible, obstacle: .ended)
    }
    return makeNested(key, mark: .impossible, obstacle: context.obstacle)
  }

  /// Starts with a copy of a container that was encoded under the key.
  private func resume(withEntry entry: Int, of source: StateWriter) {
    do throws(FormatError) {
      guard let container = try writer.continueContainer(ofEntry: entry, of: source) else { return fail(Self.continuedScalar) }
      context.form = container.hasKeys ? .dictionary : .array
      context.count = container.count
    } catch {
      fail(error)
    }
  }

  /// Ends the nested container under a key, because another value has replaced it.
  private func replaceNested(_ key: String, number: Int) {
    if context.nested?.replace(key, number: number) == true { writer.recordDiscardedEntry() }
  }

  /// Records that a value was encoded under a key of the current container's value.
  @inline(never)
  func noteValue(under key: String) {
    if context.nested != nil { replaceNested(key, number: writer.number(ofKey: key)) }
  }

  func copyNestedEntries() throws {
    guard let nested = context.nested else { return }
    for item in nested.items where !item.isReplaced {
      try item.encoder.closeContext()
      try beginEntry(item.key)
      writer.appendValue(of: item.encoder.writer)
      item.encoder.end()
    }
  }

  func copyNestedElements() throws {
    guard let nested = context.nested else { return }
    for item in nested.items { try item.encoder.closeContext() }
    writer.insertValues(nested.items.map { ($0.place, $0.encoder.writer) })
    nested.end()
  }
}
