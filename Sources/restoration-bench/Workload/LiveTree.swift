import Foundation
import StateRestoration

/// Live objects, each with a dozen values and two to six others below it: what the engine works on.
enum LiveTree {
  /// Makes a tree of `count` objects and returns its root.
  static func make(_ count: Int) -> BenchObject {
    let root = BenchObject("root")
    var objects = [root]
    var parent = 0
    while objects.count < count {
      for place in 0..<min(2 + parent % 5, count - objects.count) {
        let object = BenchObject("item-\(place)")
        fill(object, objects.count)
        objects[parent].children.append(object)
        if objects.count % 10 == 0 { object.neighbour = objects[objects.count / 2] }
        objects.append(object)
      }
      parent += 1
    }
    return root
  }

  private static func fill(_ object: BenchObject, _ number: Int) {
    object.title = "A title with number \(number)"
    object.subtitle = "subtitle \(number % 7)"
    object.detail = "Some detail that is a little longer than the rest"
    object.path = "/home/user/documents/\(number).txt"
    object.row = number
    object.column = number % 80
    object.offset = Double(number) / 3
    object.zoom = 1.5
    object.isOpen = number % 2 == 0
    object.isSelected = number % 3 == 0
    object.date = Date(timeIntervalSinceReferenceDate: Double(number))
  }

  // MARK: With the engine

  static func preserve(_ application: RestorableApplication) throws -> Data? {
    try application.preserve(header: ArchiveHeader(bundleVersion: "1")).archive
  }

  static func restore(_ archive: ArchiveReader) throws -> RestorationReport {
    let application = RestorableApplication()
    let resolver = try Resolver {
      Factory(path: "root") { node in
        let root = BenchObject(node.identifier)
        application.roots = [root]
        return root
      }
      Factory(type: "Node") { BenchObject($0.identifier) }
    }
    return try application.restore(from: archive, with: resolver)
  }

  // MARK: Without it

  /// Writes the same values by hand.
  static func encode(_ root: BenchObject, count: Int) throws -> Data {
    try encode(root, with: ArchiveWriter(header: ArchiveHeader(bundleVersion: "1"), expectedNodeCount: count))
  }

  /// Writes the same values by hand, with a writer that is kept from one archive to the next, as the engine keeps its own.
  static func encodeAgain(_ root: BenchObject, with writer: ArchiveWriter) throws -> Data {
    try writer.reset(header: ArchiveHeader(bundleVersion: "1"))
    return try encode(root, with: writer)
  }

  private static func encode(_ root: BenchObject, with writer: ArchiveWriter) throws -> Data {
    func add(_ object: BenchObject, _ parent: ArchiveWriter.Node?) throws {
      let node = try writer.addNode(object.restorationIdentifier ?? "", under: parent, type: "Node", schemaVersion: 1) {
        try object.encodeValues(with: $0)
      }
      for child in object.children { try add(child, node) }
    }
    try add(root, nil)
    return try writer.finish()
  }

  /// Makes the same objects by hand.
  static func decode(below parent: ArchivedNode) throws -> [BenchObject] {
    try parent.children().map { node in
      let object = BenchObject(node.identifier ?? "")
      try object.decodeValues(with: node.decoder())
      object.children = try decode(below: node)
      return object
    }
  }
}
