import Foundation
import StateRestoration

/// A tree of live objects: two to six children per inner node.
enum LiveTree {
  /// Builds a tree of `count` objects and returns its root.
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
    return try application.restore(from: archive, with: resolver(for: application) {})
  }

  /// Creates a resolver whose root object becomes the root of `application`.
  ///
  /// Calls `onFirst` when that object has decoded its state.
  static func resolver(for application: RestorableApplication, onFirst: @escaping () -> Void) throws -> Resolver {
    try Resolver {
      // Weak, since the application keeps the resolver.
      Factory(path: "root") { [weak application] node in
        let root = BenchObject(node.identifier)
        root.onDecoded = onFirst
        application?.roots = [root]
        return root
      }
      Factory(type: "Node") { BenchObject($0.identifier) }
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

/// A live object with a dozen values, like a view or a document of an app.
final class BenchObject: Restorable {
  static var restorationType: String { "Node" }
  static var restorationSchemaVersion: Int { 1 }
  /// The code that changes an object reports the change.
  static var tracksChanges: Bool { true }

  let restorationIdentifier: String?
  var restorationChildren: [any Restorable] { children }

  var children: [BenchObject] = []
  var title = ""
  var subtitle = ""
  var detail = ""
  var path = ""
  var row = 0
  var column = 0
  var offset = 0.0
  var zoom = 0.0
  var isOpen = false
  var isSelected = false
  var date = Date(timeIntervalSinceReferenceDate: 0)
  weak var neighbour: BenchObject?
  /// Called when the object has decoded its state.
  var onDecoded: (() -> Void)?

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeValues(with: coder)
    if let neighbour { try coder.encode(reference: neighbour, forKey: "neighbour") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeValues(with: coder)
    children = try coder.restoredChildren(of: BenchObject.self)
    neighbour = try coder.decodeIfPresent(reference: "neighbour")
    onDecoded?()
  }

  /// Encodes the values except the references, which need the engine.
  func encodeValues(with coder: StateEncoder) throws {
    try coder.encode(title, forKey: "title")
    try coder.encode(subtitle, forKey: "subtitle")
    try coder.encode(detail, forKey: "detail")
    try coder.encode(path, forKey: "path")
    try coder.encode(row, forKey: "row")
    try coder.encode(column, forKey: "column")
    try coder.encode(offset, forKey: "offset")
    try coder.encode(zoom, forKey: "zoom")
    try coder.encode(isOpen, forKey: "isOpen")
    try coder.encode(isSelected, forKey: "isSelected")
    try coder.encode(date, forKey: "date")
  }

  func decodeValues(with coder: StateDecoder) throws {
    title = try coder.decode(String.self, forKey: "title")
    subtitle = try coder.decode(String.self, forKey: "subtitle")
    detail = try coder.decode(String.self, forKey: "detail")
    path = try coder.decode(String.self, forKey: "path")
    row = try coder.decode(Int.self, forKey: "row")
    column = try coder.decode(Int.self, forKey: "column")
    offset = try coder.decode(Double.self, forKey: "offset")
    zoom = try coder.decode(Double.self, forKey: "zoom")
    isOpen = try coder.decode(Bool.self, forKey: "isOpen")
    isSelected = try coder.decode(Bool.self, forKey: "isSelected")
    date = try coder.decode(Date.self, forKey: "date")
  }

  /// Whether another object and its descendants hold the same values.
  func isSame(as other: BenchObject) -> Bool {
    restorationIdentifier == other.restorationIdentifier && title == other.title && subtitle == other.subtitle && detail == other.detail
      && path == other.path && row == other.row && column == other.column && offset == other.offset && zoom == other.zoom
      && isOpen == other.isOpen && isSelected == other.isSelected && date == other.date
      && children.elementsEqual(other.children) { $0.isSame(as: $1) }
  }
}
