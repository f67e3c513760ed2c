import ArchiveFormat

/// The nested containers and super-encoders of one value.
///
/// They may be written to in any order, so each has an encoder with a buffer of its own, which is copied in when the value ends.
final class NestedContainers {
  struct Item {
    /// Its key, in a dictionary.
    let key: String
    /// The writer's number of the key, in a dictionary; negative for a key that stands in line.
    let number: Int
    /// The place in the buffer that it belongs to, in an array.
    let place: Int
    let encoder: ArchiveEncoder
    /// Whether something was encoded under its key after it.
    var isReplaced = false
  }

  /// How many items or entries are looked through one by one, which is faster than a table for the few that a value has.
  private static let fewest = 16

  private(set) var items: [Item] = []
  /// By number of the key, as far as items and entries were put in: the last item, and the last entry, under it.
  private var itemsByNumber: [Int: Int] = [:]
  private var entriesByNumber: [Int: Int] = [:]
  private var knownItems = 0
  private var knownEntries = 0

  // MARK: Items

  func append(_ item: Item) {
    items.append(item)
  }

  /// The encoder of the container that stands under a key.
  func encoder(under key: String, number: Int) -> ArchiveEncoder? {
    index(of: key, number: number).map { items[$0].encoder }
  }

  /// Ends the container that stands under a key, because another value was encoded under it; false if there is none.
  func replace(_ key: String, number: Int) -> Bool {
    guard let index = index(of: key, number: number) else { return false }
    items[index].isReplaced = true
    items[index].encoder.end()
    return true
  }

  private func index(of key: String, number: Int) -> Int? {
    if items.count <= Self.fewest || number < 0 {
      return items.lastIndex { !$0.isReplaced && $0.number == number && (number >= 0 || $0.key.isIdenticalText(to: key)) }
    }
    for index in knownItems..<items.count { itemsByNumber[items[index].number] = index }
    knownItems = items.count
    return itemsByNumber[number].flatMap { items[$0].isReplaced ? nil : $0 }
  }

  /// Makes all of them refuse what is written from now on.
  func end() {
    for item in items { item.encoder.end() }
  }

  // MARK: Entries

  /// The last entry that was written under a key among those of a container that is open.
  func lastEntry(under key: String, number: Int, of writer: StateWriter) -> Int? {
    let entries = writer.openEntries
    if entries.count <= Self.fewest || number < 0 {
      return entries.reversed().first { writer.isEntry($0, under: key, number: number) }
    }
    // Entries of an open container stay where they are, unless they come to nothing before another one is begun.
    for entry in max(knownEntries, entries.lowerBound)..<entries.upperBound {
      entriesByNumber[writer.keyNumber(ofEntry: entry)] = entry
    }
    knownEntries = entries.upperBound
    return entriesByNumber[number]
  }
}
