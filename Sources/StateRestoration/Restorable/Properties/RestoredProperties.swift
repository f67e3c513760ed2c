import Locking
public import RestorationArchive
import Synchronization

/// The properties of one object marked with ``Restored`` and ``RestoredChildren``, including those of its superclasses.
///
/// The properties own this object, which refers to the object that has them without keeping it alive. All apps and scenes that
/// save an object share it.
final class RestoredProperties {
  /// The address of the object that has the properties, and its class: only an object of that class has the places.
  let owner: ObjectIdentifier
  private let kind: ObjectIdentifier
  /// Where the object has them; in nearly all cases those of its class.
  let places: [PropertyPlace]
  /// Whether the state of the properties can change only by setting them: their values contain no references.
  let arePlain: Bool
  /// Whether some of them hold children.
  let holdChildren: Bool
  /// The number of times that a property was set.
  private let count = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  /// The receiver of changes; nil if the object belongs to no archive yet.
  private var signal: ChangeSignal?
  /// Whether several archives have the object, so that each of them is told of its changes.
  var areShared = false

  /// Whether the class has the properties, and not only this object at this moment.
  let areOfClass: Bool

  /// Returns the properties of an object; nil if its class has none.
  ///
  /// - Throws: The errors of ``PropertyPlace/find(of:at:)``.
  static func find(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    if let places = PropertyPlace.known(of: object) {
      if places.isEmpty { return nil }
      if let found = adopt(places, of: object, areOfClass: true) { return found }
    }
    let (places, areOfClass) = try PropertyPlace.find(of: object, at: path)
    return places.isEmpty && areOfClass ? nil : adopt(places, of: object, areOfClass: areOfClass)
  }

  /// Returns the properties that an object has at `places`; nil if they are others there.
  private static func adopt(_ places: [PropertyPlace], of object: AnyObject, areOfClass: Bool) -> RestoredProperties? {
    // By index: a place is not copied then.
    for index in places.indices {
      guard let storage = places[index].storage(of: object),
        storage.fixedKey?.isSameText(as: places[index].key) ?? !places[index].hasFixedKey
      else { return nil }
      if areOfClass, let known = storage.properties, known.areOfClass, known.areThose(of: object) { return known }
    }
    let found = RestoredProperties(of: object, places, areOfClass: areOfClass)
    for index in places.indices { places[index].storage(of: object)?.properties = found }
    return found
  }

  private init(of object: AnyObject, _ places: [PropertyPlace], areOfClass: Bool) {
    (owner, kind) = (ObjectIdentifier(object), ObjectIdentifier(type(of: object)))
    self.places = places
    self.areOfClass = areOfClass
    // Another property of an optional wrapper may be set without a change of these.
    arePlain = areOfClass && places.allSatisfy(\.isPlain)
    holdChildren = !places.allSatisfy(\.isCoded)
  }

  /// Whether these are still the properties of an object, and not those of one that had its address before.
  private func areThose(of object: AnyObject) -> Bool {
    owner == ObjectIdentifier(object) && kind == ObjectIdentifier(type(of: object)) && !areOutdated
  }

  /// Returns the children that an object has in its properties.
  func children(of object: AnyObject) -> [any Restorable] { places.flatMap { $0.storage(of: object)?.restorableChildren ?? [] } }

  /// The number of changes so far; equal numbers mean that no property was set in between.
  var changeCount: Int { count.load(ordering: .acquiring) }

  /// Whether the object is gone, or one of its properties was replaced by another one.
  var areOutdated: Bool { hasEnded.load(ordering: .acquiring) }

  /// Directs future changes to `signal`; nil leaves them where they are.
  func report(to signal: ChangeSignal?) {
    guard let signal, self.signal !== signal else { return }
    // The other archive, which no longer hears of changes, encodes the object once more if it still has it.
    self.signal?.collect(owner)
    self.signal = signal
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
    if areShared { return UnclaimedChanges.send(owner) }
    if let signal { signal.send(owner) } else { UnclaimedChanges.send() }
  }

  /// Records that a property is gone, with the object or without it; on any thread.
  func noteEnd() {
    // Once for all properties: they mostly go together, with the object.
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { noteChange() }
  }
}

/// Where the objects of a class have one of their restored properties.
///
/// A mirror of each object would take longer than encoding its properties. The stored properties of a class are at the same
/// places in all of its objects, so they are looked for once, and only those places are read of each object.
struct PropertyPlace: Sendable {
  let key: String
  /// Whether the key is explicit, and not the name of the property.
  fileprivate let hasFixedKey: Bool
  /// Whether the value is saved under the key; else the property only reports its changes.
  let isCoded: Bool
  fileprivate let isPlain: Bool
  /// The number of bytes from the start of the object.
  private let offset: Int

  private static let classes = Lock<[ObjectIdentifier: [PropertyPlace]]>([:])

  /// Returns the places for the class of an object; nil if they are not known.
  fileprivate static func known(of object: AnyObject) -> [PropertyPlace]? { classes.withLock { $0[ObjectIdentifier(type(of: object))] } }

  /// Returns the places of an object's restored properties, and keeps them for its class.
  ///
  /// - Returns: The places, and whether all objects of the class have them.
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name, or if the class does not say what
  ///   properties it has.
  fileprivate static func find(
    of object: AnyObject, at path: () -> RestorationPath
  ) throws -> (places: [PropertyPlace], isSameInAll: Bool) {
    let kind: AnyClass = type(of: object)
    if let secretive = ClassLayout.secretiveClass(of: kind) {
      throw RestorationError(
        .propertyKey, path: path(),
        "the properties of \(secretive) cannot be found: its module was compiled with -disable-reflection-metadata")
    }
    var places: [PropertyPlace] = []
    // A property of an optional wrapper may be there in some objects of a class only.
    var isSameInAll = true
    for index in 0..<countOfStoredProperties(of: kind) {
      var field = unsafe StoredProperty()
      let type = unsafe typeOfStoredProperty(of: kind, at: index, &field)
      defer { unsafe field.free?(field.name) }
      let name = unsafe field.name.map { unsafe String(cString: $0) }
      let isOptional = (type as? any OptionalWrapper.Type)?.mayHoldProperty ?? false
      guard isOptional || type is any RestoredWrapper.Type else {
        if let fault = NestedProperty.fault(of: type, name) { throw RestorationError(.propertyKey, path: path(), fault) }
        continue
      }
      isSameInAll = isSameInAll && !isOptional
      let offset = offsetOfStoredProperty(of: kind, at: index)
      guard let storage = storage(of: object, at: offset) else { continue }
      // The storage of `@Restored var count` is called `_count`.
      let key = storage.fixedKey ?? name.map { String($0.drop { $0 == "_" }) } ?? ""
      guard !key.isEmpty || !storage.isCoded else {
        throw RestorationError(.propertyKey, path: path(), "a restored property has no name; give it a key: @Restored(\"key\")")
      }
      guard !storage.isCoded || !places.contains(where: { $0.isCoded && $0.key.isSameText(as: key) }) else {
        throw RestorationError(
          .propertyKey, path: path(),
          "two restored properties have the key \(key.quotedForDisplay): give one of them another, @Restored(\"…\")")
      }
      places.append(
        PropertyPlace(
          key: key, hasFixedKey: storage.fixedKey != nil, isCoded: storage.isCoded, isPlain: storage.isPlain, offset: offset))
    }
    if isSameInAll { classes.withLock { $0[ObjectIdentifier(kind)] = places } }
    return (places, isSameInAll)
  }

  /// Returns the property that an object of the class has here; nil if its wrapper is optional, and nil.
  @inline(__always)
  func storage(of object: AnyObject) -> PropertyStorage? { Self.storage(of: object, at: offset) }

  /// A wrapper is a struct whose only property is its storage, so it is laid out as a reference.
  @inline(__always)
  private static func storage(of object: AnyObject, at offset: Int) -> PropertyStorage? {
    defer { extendLifetime(object) }
    return unsafe (Unmanaged.passUnretained(object).toOpaque() + offset).load(as: PropertyStorage?.self)
  }
}

// The functions of Swift's runtime behind `Mirror`, which itself gives no offsets. Properties of superclasses come first.

/// What the runtime says of a stored property.
@unsafe private struct StoredProperty {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func countOfStoredProperties(of type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func typeOfStoredProperty(of type: Any.Type, at index: Int, _ field: UnsafeMutablePointer<StoredProperty>) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func offsetOfStoredProperty(of type: Any.Type, at index: Int) -> Int

/// A property marked with ``Restored`` or ``RestoredChildren`` inside another wrapper or a struct, where it would silently never
/// be saved.
private enum NestedProperty {
  /// Returns what is wrong with a stored property of a class; nil if there is no marked property inside.
  static func fault(of type: Any.Type, _ name: String?) -> String? {
    guard let mark = mark(in: type, depth: 0) else { return nil }
    let name = name.map { $0.drop { $0 == "_" } } ?? "a property"
    return "the \(mark) property inside \(name), a \(type), is not found there and would not be saved: let the mark be the only wrapper "
      + "of a property of the class itself, as in \(mark) var \(name)"
  }

  /// Returns the mark of a property at most a few levels inside a struct; not in its objects, which are saved by themselves.
  private static func mark(in type: Any.Type, depth: Int) -> String? {
    guard depth < 4, isStruct(type), !isPlain(type), !isOfSystem(type) else { return nil }
    for index in 0..<countOfStoredProperties(of: type) {
      var field = unsafe StoredProperty()
      let inner = unsafe typeOfStoredProperty(of: type, at: index, &field)
      unsafe field.free?(field.name)
      if inner is any RestoredWrapper.Type { return "\(inner)".hasPrefix("RestoredChildren") ? "@RestoredChildren" : "@Restored" }
      if let found = mark(in: inner, depth: depth + 1) { return found }
    }
    return nil
  }

  /// Whether a type is a struct: the kind is the first word of its metadata.
  private static func isStruct(_ type: Any.Type) -> Bool { unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == 0x200 }

  /// Whether a type contains no references, like a number or a point; asked first, because it costs nothing.
  private static func isPlain<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }

  /// Whether a type is of the standard library or Foundation, whose structs have no marked properties.
  private static func isOfSystem(_ type: Any.Type) -> Bool {
    // `String(reflecting:)` asks first whether types of types describe themselves, which takes a millisecond once.
    let name = _typeName(type)
    return ["Swift.", "Foundation", "Dispatch.", "Synchronization."].contains { name.hasPrefix($0) }
  }
}

/// The part of a class in memory (*Class Metadata* in Swift's ABI) that tells the size of its objects.
private struct ClassLayout {
  private let kind: AnyClass

  /// Returns the class, or the one of its superclasses, with stored properties of which the runtime knows none; nil if there is
  /// no such class.
  static func secretiveClass(of kind: AnyClass) -> AnyClass? {
    var (layout, count) = (ClassLayout(kind: kind), countOfStoredProperties(of: kind))
    while layout.isSwift {
      let above = _getSuperclass(layout.kind).map { ClassLayout(kind: $0) }
      let countAbove = above.map { countOfStoredProperties(of: $0.kind) } ?? 0
      if count == countAbove, layout.size > above?.size ?? ClassLayout.headerSize { return layout.kind }
      guard let above else { break }
      (layout, count) = (above, countAbove)
    }
    return nil
  }

  private static let headerSize = UInt32(2 * MemoryLayout<UInt>.size)

  #if canImport(ObjectiveC)
    /// Whether it is a class of Swift, and not of Objective-C, which tells nothing of its instance variables.
    private var isSwift: Bool { read(UInt.self, at: 4 * MemoryLayout<UInt>.size) & 2 != 0 }
    /// The number of bytes that an object takes, as far as Swift knows.
    private var size: UInt32 { isSwift ? read(UInt32.self, at: 5 * MemoryLayout<UInt>.size + 8) : .max }
  #else
    private var isSwift: Bool { true }
    private var size: UInt32 { read(UInt32.self, at: 2 * MemoryLayout<UInt>.size + 8) }
  #endif

  private func read<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
    unsafe (unsafeBitCast(kind, to: UnsafeRawPointer.self) + offset).load(as: type)
  }
}

/// What a property marked with ``Restored`` or ``RestoredChildren`` holds, in an object of its own so that it can be set
/// from the place in the owner.
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
  /// The objects of a list of children.
  var restorableChildren: [any Restorable] { [] }
  func encode(with coder: StateEncoder, key: String) throws {}
  func decode(with coder: StateDecoder, key: String) throws {}
}

/// A property wrapper: a struct whose only stored property is a ``PropertyStorage``.
protocol RestoredWrapper {}

/// An optional, which may hold a property wrapper in some objects of a class only.
private protocol OptionalWrapper {
  static var mayHoldProperty: Bool { get }
}

extension Optional: OptionalWrapper {
  fileprivate static var mayHoldProperty: Bool { Wrapped.self is any RestoredWrapper.Type }
}

extension StateEncoder {
  /// Encodes an object whose class declares no encoding of its own.
  func encodeByDefault(_ object: any Restorable) throws {
    guard let services else { return try encodeRestoredProperties(of: object) }
    let properties = try services.restoredProperties(of: object) { path }
    if let properties { try encode(properties, of: object) }
    services.noteDefaultEncoding(of: object, properties)
  }

  private func encode(_ properties: RestoredProperties, of object: AnyObject) throws {
    for index in properties.places.indices where properties.places[index].isCoded {
      try properties.places[index].storage(of: object)?.encode(with: self, key: properties.places[index].key)
    }
  }

  /// Encodes the properties of an object marked with ``Restored``, including those of its superclasses.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key.
  public func encodeRestoredProperties(of object: AnyObject) throws {
    let known = try services.map { try $0.restoredProperties(of: object) { path } }
    let properties = try known ?? RestoredProperties.find(of: object) { path }
    if let properties { try encode(properties, of: object) }
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
  /// - Throws: ``RestorationError`` if two properties have the same key; outside of restoring, the
  ///   error of the first property that cannot be decoded, after all others have been decoded.
  public func decodeRestoredProperties(of object: AnyObject) throws {
    if let properties = try restoredProperties(of: object) { try decode(properties, of: object) }
  }

  /// Decodes an object whose class declares no decoding of its own.
  func decodeByDefault(_ object: any Restorable) throws {
    guard let properties = try restoredProperties(of: object) else { return services?.noteUnread(by: object, self) ?? () }
    try decode(properties, of: object)
  }

  private func restoredProperties(of object: AnyObject) throws -> RestoredProperties? {
    let known = try services.map { try $0.restoredProperties(of: object) { path } }
    return try known ?? RestoredProperties.find(of: object) { path }
  }

  private func decode(_ properties: RestoredProperties, of object: AnyObject) throws {
    try decodeEach(properties.places.indices) { index in
      guard properties.places[index].isCoded else { return }
      try properties.places[index].storage(of: object)?.decode(with: self, key: properties.places[index].key)
    }
  }

  /// Decodes each part of the state; an error in one does not affect the others.
  ///
  /// - Throws: The first error, unless a restoration has noted it for the object.
  func decodeEach<Part>(_ parts: some Sequence<Part>, _ decode: (Part) throws -> Void) throws {
    var failure: (any Error)?
    for part in parts {
      do {
        try decode(part)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure, services?.note(failure, of: number) != true { throw failure }
  }
}

extension Restorable {
  /// Encodes the properties marked with ``Restored``.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key.
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
