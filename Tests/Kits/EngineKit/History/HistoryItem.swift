import Foundation
import Observation
package import StateRestoration

/// An object of a history: a script changes its identifier, its children, its state, what it refers to, and whether it
/// throws.
///
/// Each class saves its state in another of the ways that an app can choose.
package protocol HistoryItem: Restorable {
  /// Creates an object.
  init(_ identifier: String?)
  /// The identifier; a class that promises to report its changes reports this one too.
  var restorationIdentifier: String? { get set }
  /// The children, of any class.
  var children: [any Restorable] { get set }
  /// The parent of an object that is in no list of children.
  ///
  /// Strong, because a parent that disappears would be a change that nothing reports. ``HistoryApp/end()`` breaks cycles.
  var owner: (any HistoryItem)? { get set }
  /// The object that it refers to; always nil for classes without references.
  var target: (any HistoryItem)? { get set }
  /// The calls that throw.
  var faults: HistoryFaults { get set }
  /// Changes the state.
  func edit(_ number: Int)
}

extension HistoryItem {
  /// The children.
  package var restorationChildren: [any Restorable] { children }
  /// The owner.
  package var restorationParent: (any Restorable)? { owner }
  /// Nil, for classes without references.
  package var target: (any HistoryItem)? {
    get { nil }
    set {}
  }

  /// Throws if decoding is to fail after the state, and takes the restored children.
  fileprivate func decodeChildren(_ coder: StateDecoder) throws {
    if faults.decoding { throw HistoryError() }
    children = try coder.restoredChildren()
  }
}

/// The calls of an object that throw.
package struct HistoryFaults {
  /// Whether encoding throws after a part of the state.
  package var encoding = false
  /// Whether decoding throws after a part of the state.
  package var decoding = false
}

/// The error of an object that was told to throw.
struct HistoryError: Error {}

/// The classes of a history.
package enum HistoryKind: String, CaseIterable {
  case promising, promisingObserved, plain, referring, boxed, observed, codable, coded, derived, untyped

  /// The class.
  var type: any HistoryItem.Type {
    switch self {
    case .promising: PromisingItem.self
    case .promisingObserved: PromisingObservedItem.self
    case .plain: PlainItem.self
    case .referring: ReferringItem.self
    case .boxed: BoxedItem.self
    case .observed: ObservedItem.self
    case .codable: CodableItem.self
    case .coded: CodedItem.self
    case .derived: DerivedItem.self
    case .untyped: UntypedItem.self
    }
  }
}

// MARK: With a promise to report changes

/// An object that reports its changes, and encodes its properties and a reference itself.
final class PromisingItem: HistoryItem {
  static var restorationType: String { "Promising" }
  static var tracksChanges: Bool { true }
  var restorationIdentifier: String? {
    didSet { setNeedsSave() }
  }
  @Restored var number = 0
  @RestoredChildren var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var target: (any HistoryItem)? {
    didSet { setNeedsSave() }
  }
  var faults = HistoryFaults() {
    didSet { setNeedsSave() }
  }

  init(_ identifier: String?) { restorationIdentifier = identifier }
  func edit(_ number: Int) { self.number = number }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeRestoredProperties(with: coder)
    if faults.encoding { throw HistoryError() }
    if let target { try coder.encode(reference: target, forKey: "target") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    try decodeChildren(coder)
    target = try coder.decodeReferenceIfPresent(forKey: "target")
  }
}

/// An observable object that reports its changes.
@Observable final class PromisingObservedItem: HistoryItem, ObservableRestorable {
  static var restorationType: String { "PromisingObserved" }
  static var tracksChanges: Bool { true }
  @ObservationIgnored var restorationIdentifier: String? {
    didSet { setNeedsSave() }
  }
  var number = 0
  var text = ""
  var children: [any Restorable] = []
  @ObservationIgnored var owner: (any HistoryItem)?
  @ObservationIgnored var faults = HistoryFaults()
  static var restoredProperties: [ObservedProperty<PromisingObservedItem>] { [.init("number", \.number), .init("text", \.text)] }

  init(_ identifier: String?) { restorationIdentifier = identifier }

  func edit(_ number: Int) {
    if number % 2 == 0 { self.number = number } else { text = "\(number)" }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeObservedProperties(with: coder)
    try decodeChildren(coder)
  }
}

// MARK: Without a promise

/// An object whose encoding is left to the library, with properties of many types.
final class PlainItem: HistoryItem {
  enum Mode: String, Codable { case list, icons }
  struct Size: Codable {
    var width = 0
    var depth: Int?
  }

  static var restorationType: String { "Plain" }
  var restorationIdentifier: String?
  @Restored var number = 0
  @Restored var text = ""
  @Restored("flag", isSensitive: true) var isFlagged = false
  @Restored var scale = 1.0
  @Restored var date = Date(timeIntervalSinceReferenceDate: 0)
  @Restored var data = Data()
  @Restored var maybe: Int?
  @Restored var list: [String] = []
  @Restored var table: [String: Int] = [:]
  @Restored var mode = Mode.list
  @Restored var size = Size()
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()

  init(_ identifier: String?) { restorationIdentifier = identifier }

  func edit(_ number: Int) {
    switch number % 11 {
    case 0: self.number = number
    case 1: text = "\(number)"
    case 2: isFlagged.toggle()
    case 3: scale = number % 4 == 0 ? .nan : Double(number) / 4
    case 4: date = Date(timeIntervalSinceReferenceDate: Double(number))
    case 5: data = Data([UInt8(truncatingIfNeeded: number)])
    case 6: maybe = maybe == nil ? number : nil
    case 7: list.append("\(number)")
    case 8: table["\(number % 3)"] = number
    case 9: mode = mode == .list ? .icons : .list
    default: size.depth = number
    }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    try decodeChildren(coder)
  }
}

/// An object whose encoding is left to the library, with a reference in a property: it changes when the target moves.
final class ReferringItem: HistoryItem {
  static var restorationType: String { "Referring" }
  var restorationIdentifier: String?
  @Restored var link = Reference<any HistoryItem>()
  @Restored var links: [Reference<any HistoryItem>] = []
  @Restored var number = 0
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()
  var target: (any HistoryItem)? {
    get { link.object }
    set {
      link.object = newValue
      links = newValue.map { [Reference($0), Reference()] } ?? []
    }
  }

  init(_ identifier: String?) { restorationIdentifier = identifier }
  func edit(_ number: Int) { self.number = number }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    try decodeChildren(coder)
  }
}

/// An object whose encoding is left to the library, with values that change without the property being set.
final class BoxedItem: HistoryItem {
  final class Box: Codable { var number = 0 }

  static var restorationType: String { "Boxed" }
  var restorationIdentifier: String?
  @Restored var box = Box()
  @Restored var boxes = [Box(), Box()]
  @Restored var maybe: Box? = Box()
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()

  init(_ identifier: String?) { restorationIdentifier = identifier }

  func edit(_ number: Int) {
    switch number % 3 {
    case 0: box.number = number
    case 1: boxes.last?.number = number
    default: maybe?.number = number
    }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeRestoredProperties(with: coder)
    try decodeChildren(coder)
  }
}

/// An observable object.
@Observable final class ObservedItem: HistoryItem, ObservableRestorable {
  static var restorationType: String { "Observed" }
  @ObservationIgnored var restorationIdentifier: String?
  var number = 0
  @ObservationIgnored var children: [any Restorable] = []
  @ObservationIgnored var owner: (any HistoryItem)?
  @ObservationIgnored var faults = HistoryFaults()
  static var restoredProperties: [ObservedProperty<ObservedItem>] { [.init("number", \.number)] }

  init(_ identifier: String?) { restorationIdentifier = identifier }
  func edit(_ number: Int) { self.number = number }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeObservedProperties(with: coder)
    try decodeChildren(coder)
  }
}

/// An object whose state is one `Codable` value.
final class CodableItem: HistoryItem, CodableRestorable {
  struct State: Codable {
    var number = 0
    var list: [Int] = []
  }

  static var restorationType: String { "Codable" }
  var restorationIdentifier: String?
  var restorableState = State()
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()

  init(_ identifier: String?) { restorationIdentifier = identifier }

  func edit(_ number: Int) {
    if number % 2 == 0 { restorableState.number = number } else { restorableState.list.append(number) }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    restorableState = try coder.decodeState(default: restorableState)
    try decodeChildren(coder)
  }
}

/// An object that encodes its state and a reference with keyed calls.
final class CodedItem: HistoryItem {
  static var restorationType: String { "Coded" }
  var restorationIdentifier: String?
  var number = 0
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var target: (any HistoryItem)?
  var faults = HistoryFaults()

  init(_ identifier: String?) { restorationIdentifier = identifier }
  func edit(_ number: Int) { self.number = number }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(number, forKey: "number")
    if faults.encoding { throw HistoryError() }
    try coder.encode(reference: target, forKey: "target")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    number = try coder.decode(Int.self, forKey: "number", default: 0)
    try decodeChildren(coder)
    target = try coder.decodeReferenceIfPresent(forKey: "target")
  }
}

/// A subclass, whose superclass could be overridden to encode anything.
final class DerivedItem: RestorableObject, HistoryItem {
  override class var restorationType: String { "Derived" }
  private var identifier: String?
  override var restorationIdentifier: String? {
    get { identifier }
    set { identifier = newValue }
  }
  @Restored var number = 0
  /// State that is not a restored property.
  var other = 0
  var children: [any Restorable] = []
  override var restorationChildren: [any Restorable] { children }
  override var restorationParent: (any Restorable)? { owner }
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()

  override init(restorationIdentifier: String?) {
    identifier = restorationIdentifier
    super.init()
  }

  convenience init(_ identifier: String?) { self.init(restorationIdentifier: identifier) }

  func edit(_ number: Int) {
    if number % 2 == 0 { self.number = number } else { other = number }
  }

  override func encodeRestorableState(with coder: StateEncoder) throws {
    try super.encodeRestorableState(with: coder)
    try coder.encode(other, forKey: "other")
    if faults.encoding { throw HistoryError() }
  }

  override func decodeRestorableState(with coder: StateDecoder) throws {
    try super.decodeRestorableState(with: coder)
    other = try coder.decode(Int.self, forKey: "other", default: 0)
    try decodeChildren(coder)
  }
}

/// An object without a type, which is not saved while it has neither state nor children.
final class UntypedItem: HistoryItem {
  var restorationIdentifier: String?
  var number = 0
  var children: [any Restorable] = []
  var owner: (any HistoryItem)?
  var faults = HistoryFaults()

  init(_ identifier: String?) { restorationIdentifier = identifier }
  func edit(_ number: Int) { self.number = number % 3 }

  func encodeRestorableState(with coder: StateEncoder) throws {
    if number != 0 { try coder.encode(number, forKey: "number") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    number = try coder.decode(Int.self, forKey: "number", default: 0)
    try decodeChildren(coder)
  }
}
