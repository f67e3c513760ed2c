/// One of several siblings; their records are stored in the order of their identifiers (Spec §6.4).
@usableFromInline
package protocol Sibling {
  /// Its place among its siblings when they were saved, from 0.
  var savedOrder: UInt32 { get }
  /// The index of its record.
  var index: Int { get }
}

extension Array where Element: Sibling {
  /// Sorts siblings by saved order.
  ///
  /// In an invalid archive several may have the same place; those are sorted by index.
  ///
  /// - Complexity: O(n) if they are sorted, otherwise O(n log n).
  @inlinable
  package mutating func sortBySavedOrder() {
    for place in indices.dropFirst() where self[place - 1].savedOrder > self[place].savedOrder {
      sort { ($0.savedOrder, $0.index) < ($1.savedOrder, $1.index) }
      return
    }
  }
}

/// The place of a sibling whose record is not kept in memory: a node may have many children.
package struct SiblingPlace: Sibling {
  package let savedOrder: UInt32
  private let number: UInt32

  package init(savedOrder: UInt32, index: Int) {
    self.savedOrder = savedOrder
    number = UInt32(truncatingIfNeeded: index)
  }

  package var index: Int { Int(number) }
}

extension ArchiveRecords.StoredNode: Sibling {
  package var savedOrder: UInt32 { record.savedOrder }
}

extension ArchiveRecords {
  /// Returns the children of a node in saved order, and calls `failure` with each error that hides one.
  ///
  /// The records of all children are in memory together.
  package func children(of parent: StoredNode, failure: (FormatError) -> Void) -> [StoredNode] {
    guard let range = parent.record.children(index: parent.index, count: recordCount) else { return [] }
    var children: [StoredNode] = []
    children.reserveCapacity(min(range.count, 4096))
    for index in range {
      do throws(FormatError) {
        children.append(try confirmed(node(at: index), childOf: parent))
      } catch {
        failure(error)
      }
    }
    children.sortBySavedOrder()
    return children
  }
}
