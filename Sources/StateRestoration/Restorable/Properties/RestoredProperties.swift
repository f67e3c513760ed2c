import Locking
public import RestorationArchive
import Synchronization

/// The properties of one object marked with ``Restored`` and ``RestoredChildren``, including those of its superclasses.
///
/// Found by reflection, which takes longer than encoding them, so an app keeps them (``PropertyTable``). The properties own
/// this object, which refers to them without keeping them alive. All apps and scenes that save an object share it.
final class RestoredProperties {
  /// A property and its key.
  struct Entry {
    let key: String
    unowned let property: PropertyStorage
  }

  /// The address of the object that has the properties.
  let owner: ObjectIdentifier
  private(set) var entries: [Entry] = []
  /// Whether the state of the properties can change only by setting them: their values contain no references.
  private(set) var arePlain = true
  /// The number of times that a property was set.
  private let count = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  /// The receiver of changes; nil if the object belongs to no archive yet.
  private var signal: ChangeSignal?

  /// Returns the properties of an object; nil if its class has none.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name.
  static func find(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    if let places = PropertyPlace.known(of: object) {
      if places.isEmpty { return nil }
      if let found = read(places, of: object) { return found }
    }
    let places = try PropertyPlace.find(of: object, at: path)
    return places.isEmpty ? nil : read(places, of: object)
  }

  /// Returns the properties of an object at the places that its class has them; nil if the object has others there.
  private static func read(_ places: [PropertyPlace], of object: AnyObject) -> RestoredProperties? {
    let found = RestoredProperties(ObjectIdentifier(object))
    found.entries.reserveCapacity(places.count)
    var storages: [PropertyStorage] = []
    storages.reserveCapacity(places.count)
    var mirror = Mirror(reflecting: object)
    var (level, children, position) = (0, mirror.children, 0)
    var (next, end) = (children.startIndex, children.endIndex)
    for place in places {
      while level < place.level {
        guard let above = mirror.superclassMirror else { return nil }
        (mirror, level, children, position) = (above, level + 1, above.children, 0)
        (next, end) = (children.startIndex, children.endIndex)
      }
      while position < place.position, next != end {
        children.formIndex(after: &next)
        position += 1
      }
      guard next != end, let storage = (children[next].value as? any RestoredWrapper)?.propertyStorage,
        storage.fixedKey?.isSameText(as: place.key) ?? !place.hasFixedKey
      else { return nil }
      if let known = storage.properties, known.owner == found.owner, !known.areOutdated { return known }
      storages.append(storage)
      if place.isCoded { found.entries.append(Entry(key: place.key, property: storage)) }
      found.arePlain = found.arePlain && place.isPlain
    }
    for storage in storages { storage.properties = found }
    return found
  }

  private init(_ owner: ObjectIdentifier) { self.owner = owner }

  /// The number of changes so far; equal numbers mean that no property was set in between.
  var changeCount: Int { count.load(ordering: .acquiring) }

  /// Whether the object is gone, or one of its properties was replaced by another one.
  var areOutdated: Bool { hasEnded.load(ordering: .acquiring) }

  /// Directs future changes to `signal`; nil leaves them where they are.
  func report(to signal: ChangeSignal?) {
    if let signal, self.signal !== signal { self.signal = signal }
  }

  /// Records that a property was set.
  func noteChange() {
    count.add(1, ordering: .releasing)
    noteChangedChildren()
  }

  /// Records that a property was decoded, which changes its value and reports nothing.
  func noteDecoding() { count.add(1, ordering: .releasing) }

  /// Records that children were added, removed or moved, which are no part of the object's own state.
  func noteChangedChildren() {
    if let signal { signal.send(owner) } else { UnclaimedChanges.send() }
  }

  /// Records that a property is gone, with the object or without it; on any thread.
  func noteEnd() {
    hasEnded.store(true, ordering: .releasing)
    noteChange()
  }
}

/// Where the objects of a class have one of their restored properties.
///
/// All objects of a class have them at the same places: only these are read of each, and nothing of a class that has none.
private struct PropertyPlace: Sendable {
  /// The number of classes between that of the object and the one that declares the property.
  let level: Int
  /// The position among the stored properties of that class.
  let position: Int
  let key: String
  /// Whether the key is explicit, and not the name of the property.
  let hasFixedKey: Bool
  let isCoded: Bool
  let isPlain: Bool

  private static let classes = Lock<[ObjectIdentifier: [PropertyPlace]]>([:])

  /// Returns the places for the class of an object; nil if they are not known.
  static func known(of object: AnyObject) -> [PropertyPlace]? { classes.withLock { $0[ObjectIdentifier(type(of: object))] } }

  /// Returns the places of an object's restored properties, and keeps them for its class.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name.
  static func find(of object: AnyObject, at path: () -> RestorationPath) throws -> [PropertyPlace] {
    var places: [PropertyPlace] = []
    // A mirror of the class's own may show others next time.
    var isFixed = !(object is any CustomReflectable)
    var (mirror, level) = (Optional(Mirror(reflecting: object)), 0)
    while let current = mirror {
      for (position, child) in current.children.enumerated() {
        // So may a property of an optional wrapper.
        if let type = type(of: child.value) as? any OptionalWrapper.Type, type.mayHoldProperty { isFixed = false }
        guard let storage = (child.value as? any RestoredWrapper)?.propertyStorage else { continue }
        // The storage of `@Restored var count` is called `_count`.
        let key = storage.fixedKey ?? child.label.map { String($0.drop { $0 == "_" }) } ?? ""
        guard !key.isEmpty || !storage.isCoded else {
          throw RestorationError(.propertyKey, path: path(), "a restored property has no name; give it a key: @Restored(\"key\")")
        }
        guard !storage.isCoded || !places.contains(where: { $0.isCoded && $0.key.isSameText(as: key) }) else {
          throw RestorationError(.propertyKey, path: path(), "two restored properties have the key \(key.quotedForDisplay)")
        }
        places.append(
          PropertyPlace(
            level: level, position: position, key: key, hasFixedKey: storage.fixedKey != nil, isCoded: storage.isCoded,
            isPlain: storage.isPlain))
      }
      (mirror, level) = (current.superclassMirror, level + 1)
    }
    if isFixed { classes.withLock { $0[ObjectIdentifier(type(of: object))] = places } }
    return places
  }
}

/// What a property marked with ``Restored`` or ``RestoredChildren`` holds, in an object of its own so that it can be set
/// through a mirror of the owner.
class PropertyStorage {
  /// The explicit key; nil if the property uses its name.
  final let fixedKey: String?
  /// The properties of the object that it belongs to, once they have been looked for.
  final var properties: RestoredProperties?

  init(key: String? = nil) { fixedKey = key }

  /// Whether the value is saved under a key; else the property only reports its changes.
  var isCoded: Bool { false }
  /// Whether the value contains no references, so that it changes only by being set.
  var isPlain: Bool { true }
  func encode(with coder: StateEncoder, key: String) throws {}
  func decode(with coder: StateDecoder, key: String) throws {}
}

/// A property wrapper as reflection finds it.
protocol RestoredWrapper {
  var propertyStorage: PropertyStorage { get }
}

/// An optional, which may hold a property wrapper in some objects of a class only.
private protocol OptionalWrapper {
  static var mayHoldProperty: Bool { get }
}

extension Optional: OptionalWrapper {
  fileprivate static var mayHoldProperty: Bool { Wrapped.self is any RestoredWrapper.Type }
}

/// The restored properties of an app's objects, by object.
struct PropertyTable: ~Copyable {
  private var numbers = IdentityTable()
  private var known: [RestoredProperties] = []
  /// A class without restored properties; nearly always that of the next object too.
  private var lastEmptyClass: ObjectIdentifier?
  /// The number of entries at which those of deallocated objects are removed.
  private var purgeCount = 64

  /// Returns the properties of an object; nil if its class has none.
  ///
  /// - Throws: The errors of ``RestoredProperties/find(of:at:)``.
  mutating func properties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    if let number = numbers[object], !known[number].areOutdated { return known[number] }
    let kind = ObjectIdentifier(type(of: object))
    if kind == lastEmptyClass { return nil }
    guard let found = try RestoredProperties.find(of: object, at: path) else {
      lastEmptyClass = kind
      return nil
    }
    if known.count >= purgeCount { purge() }
    numbers.update(known.count, at: found.owner)
    known.append(found)
    return found
  }

  private mutating func purge() {
    known.removeAll { $0.areOutdated }
    numbers = IdentityTable(capacity: 2 * known.count)
    for (number, properties) in known.enumerated() { numbers.update(number, at: properties.owner) }
    purgeCount = max(64, 2 * known.count)
  }
}

extension StateEncoder {
  /// Encodes an object whose class declares no encoding of its own.
  func encodeByDefault(_ object: any Restorable) throws {
    guard let services else { return try encodeRestoredProperties(of: object) }
    let properties = try services.restoredProperties(of: object) { path }
    if let properties { try encode(properties) }
    services.noteDefaultEncoding(of: object, properties)
  }

  private func encode(_ properties: RestoredProperties) throws {
    for entry in properties.entries { try entry.property.encode(with: self, key: entry.key) }
  }

  /// Encodes the properties of an object marked with ``Restored``, including those of its superclasses.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key
  ///   or one has no name.
  public func encodeRestoredProperties(of object: AnyObject) throws {
    let known = try services.map { try $0.restoredProperties(of: object) { path } }
    let properties = try known ?? RestoredProperties.find(of: object) { path }
    if let properties { try encode(properties) }
  }
}

extension StateDecoder {
  /// Decodes the properties of an object marked with ``Restored``; properties missing from the archive keep their
  /// values.
  ///
  /// A property that cannot be decoded keeps its value too, and costs no other. While an archive is restored, its error
  /// is in the report, and the saved state is kept until the object changes; nothing is thrown, so that the object goes
  /// on, for example with its children.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name; outside of restoring, the
  ///   error of the first property that cannot be decoded, after all others have been decoded.
  public func decodeRestoredProperties(of object: AnyObject) throws {
    let known = try services.map { try $0.restoredProperties(of: object) { path } }
    guard let properties = try known ?? RestoredProperties.find(of: object, at: { path }) else { return }
    var failure: (any Error)?
    for entry in properties.entries {
      do {
        try entry.property.decode(with: self, key: entry.key)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure, !note(failure) { throw failure }
  }

  /// Records the error of a property; returns false outside of restoring.
  func note(_ failure: any Error) -> Bool { services?.note(failure, of: number) ?? false }
}

extension Restorable {
  /// Encodes the properties marked with ``Restored``.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key
  ///   or one has no name.
  public func encodeRestoredProperties(with coder: StateEncoder) throws {
    try coder.encodeRestoredProperties(of: self)
  }

  /// Decodes the properties marked with ``Restored``; properties missing from the archive keep their values.
  ///
  /// - Throws: The errors of `decodeRestoredProperties(of:)` of the coder.
  public func decodeRestoredProperties(with coder: StateDecoder) throws {
    try coder.decodeRestoredProperties(of: self)
  }
}
