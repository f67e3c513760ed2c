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
  /// The source of encoded values.
  private enum Source {
    case state(StateDecoder)
    /// The fields of an object.
    case fields(ArchiveDictionary)
    /// Nothing: decoding has ended.
    case ended
  }

  private var source: Source
  private let objects: ObjectDecoding
  private let path: RestorationPath
  /// Whether the coder is that of a node's state, not of an object in it.
  private let isOutermost: Bool

  init(_ state: StateDecoder, classes: ObjectClasses) {
    source = .state(state)
    isOutermost = true
    path = state.path
    objects = ObjectDecoding(state: state, classes: classes) { coding, fields, objects in
      let coder = StateUnarchiver(fields, objects, path: state.path)
      let object = coding.init(coder: coder)
      try coder.end()
      return object as? NSObject
    }
  }

  private init(_ fields: ArchiveDictionary, _ objects: ObjectDecoding, path: RestorationPath) {
    source = .fields(fields)
    isOutermost = false
    self.objects = objects
    self.path = path
  }

  /// Ends decoding; throws the first error.
  func end() throws {
    source = .ended
    if let error { throw error }
  }

  override func load(_ key: String) throws -> ArchiveValue? {
    // The key is named in messages.
    if isOutermost { objects.begin(key) }
    switch source {
    case .state(let state): return try state.value(forKey: key) ?? Self.headerValue(key, state.header)
    case .fields(let fields): return fields[ObjectField.stored(key)]
    case .ended: throw objects.failure(.unsupportedCall, "the coder was used after decoding had ended")
    }
  }

  override func loadObject(_ key: String, of classes: [AnyClass]?) throws -> AnyObject? {
    guard let value = try load(key) else { return nil }
    return try objects.object(for: value, allowed: classes)
  }

  override func contains(_ key: String) throws -> Bool {
    // Without reading the value, which may be unreadable.
    if case .state(let state) = source, state.containsValue(forKey: key) { return true }
    return try load(key) != nil
  }

  override var listedClasses: [AnyClass] { objects.classes.all }

  override func located(_ error: FormatError, _ key: String) -> any Error {
    if case .fields = source { return objects.error(error) }
    return ArchiveError(error, path: path, key: key)
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
