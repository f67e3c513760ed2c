import Foundation
import StateRestoration

/// A tree of live objects: two to six children per inner node.
enum LiveTree {
  /// Builds a tree of `count` objects and returns its root.
  static func make<Object: LiveObject>(_ count: Int, _ create: (String) -> Object) -> Object where Object.Child == Object {
    let root = create("root")
    var objects = [root]
    var parent = 0
    while objects.count < count {
      for place in 0..<min(2 + parent % 5, count - objects.count) {
        let object = create("item-\(place)")
        fill(object, objects.count)
        objects[parent].children.append(object)
        if objects.count % 10 == 0 { (object as? BenchObject)?.neighbour = objects[objects.count / 2] as? BenchObject }
        objects.append(object)
      }
      parent += 1
    }
    return root
  }

  /// Builds a tree of objects that encode themselves with keyed calls.
  static func make(_ count: Int) -> BenchObject { make(count) { BenchObject($0) } }

  private static func fill(_ object: some LiveObject, _ number: Int) {
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

  static func preserve(_ application: RestorableTree) throws -> Data? {
    try application.preserve(header: ArchiveHeader(bundleVersion: "1")).archive
  }

  static func restore(_ archive: ArchiveReader) throws -> RestorationReport {
    let application = RestorableTree()
    return try application.restore(from: archive, with: resolver(for: application, { BenchObject($0) }) {})
  }

  /// Creates a resolver whose root object becomes the root of `application`.
  ///
  /// Calls `onFirst` when that object has decoded its state.
  static func resolver(
    for application: RestorableTree, _ create: @escaping (String) -> any LiveObject, onFirst: @escaping () -> Void
  ) throws -> Resolver {
    try Resolver {
      // Weak, since the application keeps the resolver.
      Factory(path: "root") { [weak application] node in
        let root = create(node.identifier)
        root.onDecoded = onFirst
        application?.roots = [root]
        return root
      }
      Factory(type: "Node") { create($0.identifier) }
    }
  }

  // MARK: Without the engine

  /// Encodes the same values with keyed calls.
  static func encode(_ root: BenchObject, count: Int) throws -> Data {
    try encode(root, with: ArchiveWriter(header: ArchiveHeader(bundleVersion: "1"), expectedNodeCount: count))
  }

  /// Encodes the same values with a reused writer, as the engine does.
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

  /// Decodes the same objects with keyed calls.
  static func decode(below parent: NodeReader) throws -> [BenchObject] {
    try parent.children().map { node in
      let object = BenchObject(node.identifier ?? "")
      try object.decodeValues(with: node.decoder())
      object.children = try decode(below: node)
      return object
    }
  }
}
