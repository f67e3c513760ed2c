import Foundation

/// `NSKeyedArchiver` in the way UIKit uses it: keyed calls, and one archive per object.
enum KeyedArchiverPeer {
  /// Encodes one archive per node, in preorder.
  static func encode(_ workload: Workload) throws -> [Data] {
    var archives: [Data] = []
    for root in workload.roots { add(root, to: &archives) }
    return archives
  }

  private static func add(_ node: BenchNode, to archives: inout [Data]) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(node.identifier, forKey: "identifier")
    archiver.encode(node.type, forKey: "type")
    for entry in node.entries {
      switch entry.value {
      case .integer(let value): archiver.encode(value, forKey: entry.key)
      case .double(let value): archiver.encode(value, forKey: entry.key)
      case .bool(let value): archiver.encode(value, forKey: entry.key)
      default: archiver.encode(UntypedPeers.object(entry.value, .propertyList), forKey: entry.key)
      }
    }
    archiver.finishEncoding()
    archives.append(archiver.encodedData)
    for child in node.children { add(child, to: &archives) }
  }

  /// Decodes every value of all archives as its type.
  static func decode(_ archives: [Data], of workload: Workload) throws {
    var archives = archives[...]
    for root in workload.roots { try decode(root, &archives) }
  }

  private static func decode(_ node: BenchNode, _ archives: inout ArraySlice<Data>) throws {
    guard let archive = archives.popFirst() else { return }
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
    unarchiver.requiresSecureCoding = false
    for entry in node.entries {
      switch entry.value {
      case .integer: consume(unarchiver.decodeInteger(forKey: entry.key))
      case .double: consume(unarchiver.decodeDouble(forKey: entry.key))
      case .bool: consume(unarchiver.decodeBool(forKey: entry.key))
      default: consume(unarchiver.decodeObject(forKey: entry.key))
      }
    }
    unarchiver.finishDecoding()
    for child in node.children { try decode(child, &archives) }
  }
}
