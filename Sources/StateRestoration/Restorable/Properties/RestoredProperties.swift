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
    unowned let property: any RestoredProperty
  }

  /// The address of the object that has the properties.
  let owner: ObjectIdentifier
  let entries: [Entry]
  /// Whether the state of the properties can change only by setting them: their values contain no references.
  let arePlain: Bool
  /// The number of times that a property was set.
  private let count = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  /// The receiver of changes; nil if the object belongs to no archive yet.
  private var signal: ChangeSignal?

  /// Returns the properties of an object; nil if its class has none.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name.
  static func find(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    var entries: [Entry] = []
    var reporters: [any ReportingProperty] = []
    var arePlain = true
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children {
        guard let reporter = (child.value as? any ReportingWrapper)?.reporter else { continue }
        if let known = reporter.properties, known.owner == ObjectIdentifier(object), !known.areOutdated { return known }
        reporters.append(reporter)
        guard let property = reporter as? any RestoredProperty else { continue }
        // The storage of `@Restored var count` is called `_count`.
        guard let key = property.fixedKey ?? child.label.map({ String($0.drop { $0 == "_" }) }), !key.isEmpty else {
          throw RestorationError(.propertyKey, path: path(), "a restored property has no name; give it a key: @Restored(\"key\")")
        }
        guard !entries.contains(where: { $0.key.isSameText(as: key) }) else {
          throw RestorationError(.propertyKey, path: path(), "two restored properties have the key \(key.quotedForDisplay)")
        }
        entries.append(Entry(key: key, property: property))
        arePlain = arePlain && property.isPlain
      }
      mirror = current.superclassMirror
    }
    if reporters.isEmpty { return nil }
    let found = RestoredProperties(ObjectIdentifier(object), entries, arePlain: arePlain)
    for reporter in reporters { reporter.properties = found }
    return found
  }

  private init(_ owner: ObjectIdentifier, _ entries: [Entry], arePlain: Bool) {
    (self.owner, self.entries, self.arePlain) = (owner, entries, arePlain)
  }

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

/// A property that reports when it is set.
protocol ReportingProperty: AnyObject {
  /// The properties of the object that it belongs to, once they have been looked for.
  var properties: RestoredProperties? { get set }
}

/// The value of a ``Restored`` property, independent of its type.
protocol RestoredProperty: ReportingProperty {
  /// The explicit key; nil if the property uses its name.
  var fixedKey: String? { get }
  /// Whether the value contains no references, so that it changes only by being set.
  var isPlain: Bool { get }
  func encode(with coder: StateEncoder, key: String) throws
  func decode(with coder: StateDecoder, key: String) throws
}

/// A property wrapper as reflection finds it.
protocol ReportingWrapper {
  var reporter: any ReportingProperty { get }
}

/// The restored properties of an app's objects, by object.
struct PropertyTable: ~Copyable {
  private var numbers = IdentityTable()
  private var known: [RestoredProperties] = []
  /// The classes without restored properties.
  private var emptyClasses: Set<ObjectIdentifier> = []
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
    if emptyClasses.contains(kind) {
      lastEmptyClass = kind
      return nil
    }
    guard let found = try RestoredProperties.find(of: object, at: path) else {
      emptyClasses.insert(kind)
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
