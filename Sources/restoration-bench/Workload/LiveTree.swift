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

  static func restore(_ archive: ArchiveReader) throws -> RestorableTree {
    let application = RestorableTree()
    consume(try application.restore(from: archive, with: resolver(for: application, { BenchObject($0) }) {}))
    return application
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

/// A live object with eleven values, like a view or a document of an app.
///
/// All classes have the same keys, so that one archive restores a tree of any of them.
protocol LiveObject: Restorable {
  associatedtype Child: LiveObject
  var children: [Child] { get set }
  var title: String { get set }
  var subtitle: String { get set }
  var detail: String { get set }
  var path: String { get set }
  var row: Int { get set }
  var column: Int { get set }
  var offset: Double { get set }
  var zoom: Double { get set }
  var isOpen: Bool { get set }
  var isSelected: Bool { get set }
  var date: Date { get set }
  /// Called when the object has decoded its state.
  var onDecoded: (() -> Void)? { get set }
  /// Changes one value, and reports the change if the class promises to.
  func change()
}

extension LiveObject {
  /// Whether another object and its descendants hold the same values.
  func isSame(as other: some LiveObject) -> Bool {
    restorationIdentifier == other.restorationIdentifier && title == other.title && subtitle == other.subtitle && detail == other.detail
      && path == other.path && row == other.row && column == other.column && offset == other.offset && zoom == other.zoom
      && isOpen == other.isOpen && isSelected == other.isSelected && date == other.date && children.count == other.children.count
      && zip(children, other.children).allSatisfy { $0.isSame(as: $1) }
  }
}

/// An object whose properties are marked with `@Restored`, and whose class makes no promise.
class RestoredObject: LiveObject {
  class var restorationType: String { "Node" }
  class var restorationSchemaVersion: Int { 1 }
  class var tracksChanges: Bool { false }

  let restorationIdentifier: String?
  var restorationChildren: [any Restorable] { children }

  @RestoredChildren var children: [RestoredObject] = []
  @Restored var title = ""
  @Restored var subtitle = ""
  @Restored var detail = ""
  @Restored var path = ""
  @Restored var row = 0
  @Restored var column = 0
  @Restored var offset = 0.0
  @Restored var zoom = 0.0
  @Restored var isOpen = false
  @Restored var isSelected = false
  @Restored var date = Date(timeIntervalSinceReferenceDate: 0)
  var onDecoded: (() -> Void)?

  init(_ identifier: String) { restorationIdentifier = identifier }

  // Encoding is left to the library.
  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    children = try coder.restoredChildren(of: RestoredObject.self)
    onDecoded?()
  }

  func change() { row += 1 }
}

/// The same, with the promise to report every change, which the property wrappers keep.
final class PromisingObject: RestoredObject {
  override class var tracksChanges: Bool { true }
}

/// An object that encodes its values with keyed calls, and reports each change.
class BenchObject: LiveObject {
  class var restorationType: String { "Node" }
  class var restorationSchemaVersion: Int { 1 }
  class var tracksChanges: Bool { true }

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
  var onDecoded: (() -> Void)?

  init(_ identifier: String) { restorationIdentifier = identifier }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeValues(with: coder)
    if let neighbour { try coder.encode(reference: neighbour, forKey: "neighbour") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeValues(with: coder)
    children = try coder.restoredChildren(of: BenchObject.self)
    neighbour = try coder.decodeReferenceIfPresent(forKey: "neighbour")
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

  func change() {
    row += 1
    setNeedsSave()
  }
}

/// The same without the promise to report changes.
final class SilentObject: BenchObject {
  override class var tracksChanges: Bool { false }
}
