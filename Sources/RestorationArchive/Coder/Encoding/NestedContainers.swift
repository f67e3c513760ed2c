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

  private(set) var items: [Item] = []
  /// By key number: the last item and the last entry under the key, among those indexed so far.
  private var itemsByNumber: [Int: Int] = [:]
  private var entriesByNumber: [Int: Int] = [:]
  private var knownItems = 0
  private var knownEntries = 0

  // MARK: Items

  func append(_ item: Item) {
    items.append(item)
  }

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
    if items.count <= Self.linearSearchLimit || number < 0 {
      return items.lastIndex { !$0.isReplaced && $0.number == number && (number >= 0 || $0.key.isIdenticalText(to: key)) }
    }
    for index in knownItems..<items.count { itemsByNumber[items[index].number] = index }
    knownItems = items.count
    return itemsByNumber[number].flatMap { items[$0].isReplaced ? nil : $0 }
  }

  /// Ends all containers, which then refuse to write.
  func end() {
    for item in items { item.encoder.end() }
  }

  // MARK: Entries

  /// Returns the last entry under a key among the entries of an open container.
  func lastEntry(under key: String, number: Int, of writer: StateWriter) -> Int? {
    let entries = writer.openEntries
    if entries.count <= Self.linearSearchLimit || number < 0 {
      return entries.reversed().first { writer.isEntry($0, under: key, number: number) }
    }
    // Entries of an open container do not move, unless they are removed before the next one begins.
    for entry in max(knownEntries, entries.lowerBound)..<entries.upperBound {
      entriesByNumber[writer.keyNumber(ofEntry: entry)] = entry
    }
    knownEntries = entries.upperBound
    return entriesByNumber[number]
  }
}
