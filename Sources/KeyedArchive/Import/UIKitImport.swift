import ArchiveFormat
import FoundationValues
import RestorationArchive

/// The import of UIKit's state archives (`Spec/imports.md`, section 5.1).
///
/// It follows the documentation and observations of others, not a genuine file, and is therefore tolerant: keys that it
/// does not know are the app's, versions are noted and not refused, and a fault in one object costs that object only.
struct UIKitImport {
  private let root: KeyedArchive
  private let context: ImportContext
  private var rootConverter: GraphConverter
  private var result = ImportedArchive(.uiKit)
  private var forest = NodeForest()
  /// The keys of the root archive whose values were used; all other values are the app's, whatever their keys.
  private var used: Set<UIKitKey> = []

  /// Returns whether a keyed archive has one of the keys that only UIKit's root archive has.
  static func isStateArchive(_ archive: KeyedArchive) -> Bool {
    archive.top.contains { UIKitKey(rawValue: $0.key.asKnownName)?.place == .root }
  }

  static func archive(of root: KeyedArchive, _ context: ImportContext) throws(KeyedArchiveError) -> ImportedArchive {
    var run = UIKitImport(root, context)
    try run.run()
    return run.result
  }

  private init(_ root: KeyedArchive, _ context: ImportContext) {
    (self.root, self.context) = (root, context)
    rootConverter = Self.converter(root, context)
  }

  private static func converter(_ archive: KeyedArchive, _ context: ImportContext) -> GraphConverter {
    GraphConverter(archive, context) { UIKitPath.reference($0, in: archive) }
  }

  private mutating func run() throws(KeyedArchiveError) {
    readHeader()
    // A text may be shared by many places: each copy is at the expense of the context.
    for field in root.top { try context.spend(field.key.utf8.count, at: nil) }
    let values = Dictionary(root.top.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
    let map = try classMap()
    let classes = Dictionary(map.compactMap { entry in entry.name.map { (entry.path, $0) } }) { first, _ in first }
    var objectKeys: Set<[UInt8]> = []
    let elements = root.elements(root[UIKitKey.rootIdentifiers.rawValue])
    if elements != nil { used.insert(.rootIdentifiers) }
    for element in elements ?? [] {
      try context.create(at: nil)
      guard let text = root.string(element) else {
        result.note("\(UIKitKey.rootIdentifiers.rawValue) has an element that is not a string", .loss, others: "elements that are none")
        continue
      }
      try context.spend(text.utf8.count, at: nil)
      let key = Array(text.utf8)
      guard objectKeys.insert(key).inserted else {
        result.note("the path \(text.shortenedForDisplay) occurs twice", .loss, others: "paths that do")
        continue
      }
      try addObject(text, values[key], restorationClass: classes[key])
    }
    // Of equal keys, the first one is an object's.
    var paths = objectKeys
    var own = Self.own(root, besides: used).filter { objectKeys.remove(Array($0.key.utf8)) == nil }
    let others = map.filter { $0.name == nil || paths.remove($0.path) == nil }.map(\.field)
    if !others.isEmpty {
      own.append(KeyedField(key: UIKitKey.classMap.rawValue, value: .dictionary(others)))
      result.note("of \(UIKitKey.classMap.rawValue), what is no name of a class or has no object of its own is among the app's values")
    }
    result.tree.applicationState = try rootConverter.state(of: own, strays: root.strays)
    try result.add(rootConverter, context)
    result.noteOthers()
    result.tree.nodes = forest.nodes()
  }

  /// Returns the named values that are not UIKit's: of equal keys, the first one is.
  private static func own(_ archive: KeyedArchive, besides keys: Set<UIKitKey>) -> [KeyedField] {
    var names = Set(keys.map(\.rawValue))
    return archive.top.filter { names.remove($0.key.asKnownName) == nil }
  }

  /// Notes the oddities of the archive of an object or view, each with a path at the expense of the context.
  private mutating func addOddities(
    of archive: KeyedArchive, _ name: String, at path: @autoclosure () -> [String]
  ) throws(KeyedArchiveError) {
    guard !archive.oddities.isEmpty else { return }
    let path = path()
    for _ in archive.oddities { try context.spend(on: path) }
    result.add(archive.oddities.map { $0.within(name) }, at: path)
  }

  // MARK: Root

  private mutating func readHeader() {
    func value(_ key: UIKitKey) -> KeyedValue? { root[key.rawValue] }
    var header = ArchiveHeader()
    var others: [(UIKitKey, ArchiveValue)] = []
    header.bundleVersion = root.string(value(.bundleVersion))
    header.timestamp = root.date(value(.timestamp)).map { Date(timeIntervalSinceReferenceDate: $0) }
    if let text = root.string(value(.systemVersion)) {
      // The volatile header has little space.
      if text.utf8.count <= 128 { header.systemVersion = text } else { others.append((.systemVersion, .string(text))) }
    }
    if let number = root.integer(value(.userInterfaceIdiom)) {
      if let idiom = UIKitKey.idioms[number] {
        header.userInterfaceIdiom = UserInterfaceIdiom(rawValue: idiom)
      } else if let number = ArchiveInteger(exactly: number) {
        others.append((.userInterfaceIdiom, .integer(number)))
      }
    }
    for (key, known) in [(UIKitKey.majorVersion, 2), (.minorVersion, 1)] as [(UIKitKey, Int128)] {
      guard let number = root.integer(value(key)), let integer = ArchiveInteger(exactly: number) else { continue }
      others.append((key, .integer(integer)))
      if number != known { result.note("\(key.rawValue) is \(number), not \(known)") }
    }
    let read: [(UIKitKey, Bool)] = [
      (.bundleVersion, header.bundleVersion != nil), (.systemVersion, header.systemVersion != nil),
      (.timestamp, header.timestamp != nil), (.userInterfaceIdiom, header.userInterfaceIdiom != nil),
    ]
    used.formUnion(others.map(\.0) + read.filter(\.1).map(\.0))
    for (key, value) in others { header.additional[key.target.contains(".") ? key.target : "uikit." + key.target] = value }
    result.tree.header = header
  }

  /// Returns the paths with the names of restoration classes, which are nil for values that are no strings.
  private mutating func classMap() throws(KeyedArchiveError) -> [(path: [UInt8], name: String?, field: KeyedField)] {
    guard let fields = root.entries(root[UIKitKey.classMap.rawValue]) else { return [] }
    used.insert(.classMap)
    for field in fields { try context.spend(field.key.utf8.count + (root.string(field.value)?.utf8.count ?? 0), at: nil) }
    return fields.map { (Array($0.key.utf8), root.string($0.value), $0) }
  }

  // MARK: Objects

  private mutating func addObject(_ text: String, _ value: KeyedValue?, restorationClass: String?) throws(KeyedArchiveError) {
    let path = place(text)
    var node = ArchiveNode("")
    if let restorationClass { node.attributes[UIKitKey.classMap.target] = .string(restorationClass) }
    if path.isUnplaced { node.attributes["uikit.path"] = .string(text) }
    if let bytes = root.data(value) {
      try read(bytes, text, at: path.components, into: &node) { run, node, archive throws(KeyedArchiveError) in
        try run.fill(&node, from: archive, of: text, at: path.components)
      }
    } else {
      result.note("the archive has no data for this path", at: path.components, .loss)
      if let value {
        node.state = try rootConverter.state(of: [KeyedField(key: "value", value: value)])
      }
    }
    forest.set(node, at: path.components)
  }

  /// Returns the place of an object: its path, or one below `:unplaced` if that is not a valid path.
  private mutating func place(_ text: String) -> (components: [String], isUnplaced: Bool) {
    if let path = UIKitPath.path(text), !forest.hasNode(at: path.components) { return (path.components, false) }
    return (unplaced(), true)
  }

  private mutating func unplaced() -> [String] {
    let components = forest.unplaced()
    let text = "the path of the source cannot be a path here, or is that of another node, and is an attribute"
    result.note(text, at: components, others: "paths that are attributes")
    return components
  }

  /// Reads the archive of an object or a view, of which `fill` makes the state; keeps its bytes if it cannot be read.
  private mutating func read(
    _ bytes: [UInt8], _ name: String, at path: @autoclosure () -> [String], into node: inout ArchiveNode,
    _ fill: (inout UIKitImport, inout ArchiveNode, KeyedArchive) throws(KeyedArchiveError) -> Void
  ) throws(KeyedArchiveError) {
    do throws(KeyedArchiveError) {
      let archive = try KeyedArchive(decoding: bytes, context)
      try addOddities(of: archive, name, at: path())
      try fill(&self, &node, archive)
    } catch {
      // The rest of the resources is for the rest of the objects; without one the file is refused.
      guard error.code != .workLimit, error.code != .countLimit else { throw error.within(name) }
      try context.spend(bytes.count, at: nil)
      try result.noteKept("the state cannot be read and is kept as bytes: \(error)", at: path(), context)
      node.state = ["$data": .data(Data(bytes))]
    }
  }

  private mutating func fill(
    _ node: inout ArchiveNode, from archive: KeyedArchive, of text: String, at path: [String]
  ) throws(KeyedArchiveError) {
    func value(_ key: UIKitKey) -> KeyedValue? { archive[key.rawValue] }
    var own = Self.own(archive, besides: UIKitKey.keys(at: .object))
    /// Keeps a value of an unexpected type under its own key, as the app's values are.
    func keepAsOwn(_ key: UIKitKey) {
      if let value = value(key) { own.append(KeyedField(key: key.rawValue, value: value)) }
    }
    if let name = archive.string(value(.className)), RestorationPath.isIdentifier(name) {
      node.type = name
    } else {
      keepAsOwn(.className)
    }
    for key in [UIKitKey.isViewController, .viewWasLoaded] {
      if let flag = archive.bool(value(key)) { node.attributes[key.target] = .bool(flag) } else { keepAsOwn(key) }
    }
    if let children = try paths(value(.children), in: archive) {
      node.attributes[UIKitKey.children.target] = .array(children)
    } else {
      keepAsOwn(.children)
    }
    if case .object(let number) = value(.selectedViewController), let path = UIKitPath.reference(archive.objects[number], in: archive) {
      node.attributes[UIKitKey.selectedViewController.target] = .reference(path)
    } else {
      keepAsOwn(.selectedViewController)
    }
    for key in [UIKitKey.storyboard, .storyboardWithoutSuffix] {
      if node.provider == nil, let name = storyboardName(value(key), in: archive), let identifier = UIKitPath.ownIdentifier(text) {
        node.provider = ProviderReference(name: name, identifier: identifier)
        // A storyboard may have more than its name.
        if case .record(let fields) = value(key).map(archive.resolve), fields.count > 1 { keepAsOwn(key) }
      } else {
        keepAsOwn(key)
      }
    }
    var converter = Self.converter(archive, context)
    if let views = archive.entries(value(.viewData)) {
      let object = (slot: forest.slot(at: path), path: path, text: text)
      for view in views { try addView(view, in: archive, of: object, &converter) }
    } else {
      keepAsOwn(.viewData)
    }
    node.state = try converter.state(of: own, strays: archive.strays)
    try result.add(converter, at: path, context)
  }

  /// Returns paths as references; nil if the value is not an array of paths.
  private func paths(_ value: KeyedValue?, in archive: KeyedArchive) throws(KeyedArchiveError) -> [ArchiveValue]? {
    guard let elements = archive.elements(value) else { return nil }
    var paths: [ArchiveValue] = []
    for element in elements {
      let text = archive.string(element)
      try context.spend(text?.utf8.count ?? 0, at: nil)
      guard let path = text.flatMap(UIKitPath.path) else { return nil }
      paths.append(.reference(path))
    }
    return paths
  }

  /// Returns the name of a storyboard: a string, or the only string field of a record.
  private func storyboardName(_ value: KeyedValue?, in archive: KeyedArchive) -> String? {
    var name = archive.string(value)
    if case .record(let fields) = value.map(archive.resolve) {
      let texts = fields.compactMap { archive.string($0.value) }
      if texts.count == 1 { name = texts.first }
    }
    return name.flatMap { RestorationPath.isIdentifier($0) ? $0 : nil }
  }

  // MARK: Views

  /// The component below which the views of a view controller are: a view and a child controller may have the same
  /// identifier.
  static let views = ":views"

  /// Adds a view of an object.
  ///
  /// Its place is looked up from the slot of the object: the path of that may be long, and have any number of views below it.
  private mutating func addView(
    _ view: KeyedField, in archive: KeyedArchive, of object: (slot: Int, path: [String], text: String), _ converter: inout GraphConverter
  ) throws(KeyedArchiveError) {
    try context.create(at: nil)
    try context.spend(view.key.utf8.count, at: nil)
    var node = ArchiveNode("")
    var (place, slot, path) = (UIKitPath.path(view.key).map { [Self.views] + $0.components } ?? [], object.slot, object.path)
    let fits = RestorationPath.canAppend(Self.views, at: path.count + place.count - 1)
    if place.isEmpty || !fits || forest.hasNode(at: place, below: slot) {
      (place, slot, path) = (unplaced(), -1, [])
      try context.spend(object.text.utf8.count, at: nil)
      node.attributes["uikit.path"] = .string("\(object.text)/\(Self.views)/\(view.key)")
    }
    if let bytes = archive.data(view.value) {
      try read(bytes, view.key, at: path + place, into: &node) { run, node, nested throws(KeyedArchiveError) in
        var converter = Self.converter(nested, run.context)
        node.state = try converter.state(of: nested.top, strays: nested.strays)
        try run.result.add(converter, at: path + place, run.context)
      }
    } else {
      node.state = try converter.state(of: [KeyedField(key: "value", value: view.value)])
    }
    forest.set(node, at: place, below: slot)
  }
}

/// The keys that UIKit uses in a state archive, and what becomes of each (`Spec/imports.md`, chapter 8).
package enum UIKitKey: String, CaseIterable, Sendable {
  case bundleVersion = "UIApplicationStateRestorationBundleVersion"
  case systemVersion = "UIApplicationStateRestorationSystemVersion"
  case timestamp = "UIApplicationStateRestorationTimestamp"
  case userInterfaceIdiom = "UIApplicationStateRestorationUserInterfaceIdiom"
  case majorVersion = "kUIStateRestorationArchiveMajorVersionKey"
  case minorVersion = "kUIStateRestorationArchiveMinorVersionKey"
  case rootIdentifiers = "kRootRestorationIdentifiersKey"
  case classMap = "kViewControllerRestorationClassMapKey"
  case isViewController = "kObjectIsViewControllerKey"
  case className = "kUIStateRestorationClassNameKey"
  case viewWasLoaded = "kViewControllerViewWasLoadedKey"
  case viewData = "kViewRestorationDataKey"
  case children = "kUIViewControllerChildrenKey"
  case selectedViewController = "kTabBarSelectedViewControllerKey"
  /// The stored string is not confirmed: that of the public constant, and that without its suffix, are both read.
  case storyboard = "UIStateRestorationViewControllerStoryboardKey"
  case storyboardWithoutSuffix = "UIStateRestorationViewControllerStoryboard"
  case pathProxy = "kObjectIdentifierPathProxyIdentifierPathKey"

  /// Where UIKit uses the key.
  package enum Place: String, Sendable {
    /// In the outermost archive.
    case root
    /// In the archive of an object.
    case object
    /// In a reference.
    case reference
  }

  /// Where UIKit uses the key.
  package var place: Place { use.place }
  /// What the value becomes: a header key, an attribute key, or a part of a node.
  package var target: String { use.target }

  private var use: (place: Place, target: String) {
    switch self {
    case .bundleVersion: (.root, "bundleVersion")
    case .systemVersion: (.root, "systemVersion")
    case .timestamp: (.root, "timestamp")
    case .userInterfaceIdiom: (.root, "userInterfaceIdiom")
    case .majorVersion: (.root, "uikit.majorVersion")
    case .minorVersion: (.root, "uikit.minorVersion")
    case .rootIdentifiers: (.root, "nodes")
    case .classMap: (.root, "uikit.restorationClass")
    case .isViewController: (.object, "uikit.isViewController")
    case .className: (.object, "type")
    case .viewWasLoaded: (.object, "uikit.viewWasLoaded")
    case .viewData: (.object, ":views")
    case .children: (.object, "uikit.children")
    case .selectedViewController: (.object, "uikit.selectedViewController")
    case .storyboard, .storyboardWithoutSuffix: (.object, "provider")
    case .pathProxy: (.reference, "reference")
    }
  }

  /// The class of references.
  static let pathProxyClass = "_UIObjectIdentifierPathProxy"

  /// UIKit's number of each idiom.
  package static let idioms: [Int128: String] = [
    -1: "unspecified", 0: "phone", 1: "pad", 2: "tv", 3: "carPlay", 5: "mac", 6: "vision",
  ]

  /// The keys at a place.
  static func keys(at place: Place) -> Set<UIKitKey> { Set(allCases.filter { $0.place == place }) }
}

/// The text of paths in UIKit's archives: components joined with a slash, without escapes.
///
/// Children of containers have a component of their own, `:[n]:`.
enum UIKitPath {
  /// Returns the path in a text; nil if it cannot be a path of ours.
  static func path(_ text: String) -> RestorationPath? {
    // Any number of places may share one text, which is too long to be split for each of them.
    guard text.utf8.count < FormatLimits.pathComponents * (FormatLimits.identifier.upperBound + 1) else { return nil }
    let components = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return try? RestorationPath(components: components.map { String(Substring($0)) })
  }

  /// Returns the last identifier of a path that the app gave, whether the path can be one of ours or not; nil if there is none.
  static func ownIdentifier(_ text: String) -> String? {
    let own = text.utf8.split(separator: UInt8(ascii: "/")).last { !($0.starts(with: ":[".utf8) && $0.suffix(2).elementsEqual("]:".utf8)) }
    return own.map { String(Substring($0)) }.flatMap { RestorationPath.isIdentifier($0) ? $0 : nil }
  }

  /// Returns the path of a reference; nil if the object is none.
  static func reference(_ object: KeyedObject, in archive: KeyedArchive) -> RestorationPath? {
    guard object.type?.name.isSameText(as: UIKitKey.pathProxyClass) == true, case .record(let fields) = object.content,
      let text = archive.string(fields.only(UIKitKey.pathProxy.rawValue))
    else { return nil }
    return path(text)
  }
}
