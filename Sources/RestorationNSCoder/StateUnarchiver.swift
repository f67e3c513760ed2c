import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

/// An `NSCoder` that decodes the state of a node.
///
/// Existing code for `NSCoder` decodes with it unchanged. Obtain one from
/// `StateDecoder.withNSCoder(classes:_:)`, or let ``NSCoderRestorable`` do so:
///
///     try coder.withNSCoder(classes: ["Article": Article.self]) { coder in
///       page = coder.decodeInteger(forKey: "page")
///       article = coder.decodeObject(of: Article.self, forKey: "article")
///       detailController = coder.decodeObject(forKey: "detail") as? DetailController
///     }
///
/// An absent key gives nil, zero or false. A value that cannot be decoded does so too, and sets `error`, which
/// `withNSCoder` throws after its closure returns; other keys can still be decoded. A reference gives the object
/// restored at its path.
///
/// No object of a class that is not listed is created, and none of another class than requested. Foundation's
/// unarchivers are not used.
public final class StateUnarchiver: KeyedStateCoder {
  private let objects: ObjectDecoding
  /// The fields of an object; nil for a coder of a node's state.
  private let fields: ArchiveDictionary?

  init(_ objects: ObjectDecoding, fields: ArchiveDictionary? = nil) { (self.objects, self.fields) = (objects, fields) }

  /// Returns the object that decodes itself from the fields.
  func object(of objectClass: any NSCoding.Type) throws -> NSObject? {
    let object = objectClass.init(coder: self)
    try end()
    return object as? NSObject
  }

  override func load(_ key: String) throws -> ArchiveValue? {
    // The key is named in messages.
    if fields == nil { objects.begin(key) }
    guard !hasEnded else { throw objects.failure(.unsupportedCall, "the coder was used after decoding had ended") }
    if let fields { return fields[ObjectField.stored(key)] }
    return try objects.state.value(forKey: key) ?? Self.headerValue(key, objects.state.header)
  }

  override func loadObject(_ key: String, of classes: [AnyClass]?) throws -> AnyObject? {
    guard let value = try load(key) else { return nil }
    let object = try objects.object(for: value, allowed: classes)
    if fields == nil { noteReferences(in: value, key, isNil: object == nil) }
    return object
  }

  /// Records the references under a key of the node's state that lead to no object: the next save stores them again.
  private func noteReferences(in value: ArchiveValue, _ key: String, isNil: Bool) {
    if case .reference(let path) = value { return objects.state.noteReferences([path], areNil: [isNil], forKey: key) }
    guard let list = ReferenceList(value), list.targets.contains(where: { $0 != nil }) else { return }
    let areNil = list.targets.map { $0.map { !objects.hasObject(at: $0) } ?? false }
    objects.state.noteReferences(list.targets, areNil: areNil, in: list.className, forKey: key)
  }

  override func contains(_ key: String) throws -> Bool {
    // Without reading the value, which may be unreadable.
    if fields == nil, !hasEnded, objects.state.containsValue(forKey: key) { return true }
    return try load(key) != nil
  }

  override var listedClasses: [AnyClass] { objects.classes.all }

  override func located(_ error: FormatError, _ key: String) -> any Error {
    fields == nil ? ArchiveError(error, path: objects.state.path, key: key) : objects.error(error)
  }

  /// Returns the header's value under one of UIKit's keys.
  private static func headerValue(_ key: String, _ header: ArchiveHeader) -> ArchiveValue? {
    switch key {
    case bundleVersionKey: header.bundleVersion.map { .string($0) }
    case systemVersionKey: header.systemVersion.map { .string($0) }
    case timestampKey: header.timestamp.map { .date($0) }
    case userInterfaceIdiomKey: header.userInterfaceIdiom.map { .integer(idiomNumbers[$0] ?? -1) }
    default: nil
    }
  }

  private static let idiomNumbers: [UserInterfaceIdiom: Int] = [.phone: 0, .pad: 1, .tv: 2, .carPlay: 3, .mac: 5, .vision: 6]
}
