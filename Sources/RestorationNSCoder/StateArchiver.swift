import ArchiveFormat
import Foundation
import RestorationArchive
import StateRestoration

/// An `NSCoder` that encodes into the state of a node.
///
/// Existing code for `NSCoder` encodes with it unchanged. Obtain one from
/// `StateEncoder.withNSCoder(classes:_:)`, or let ``NSCoderRestorable`` do so:
///
///     try coder.withNSCoder(classes: ["Article": Article.self]) { coder in
///       coder.encode(page, forKey: "page")
///       coder.encode(article, forKey: "article")
///       coder.encode(detailController, forKey: "detail")  // a reference, because it is Restorable
///     }
///
/// Numbers, strings, dates, data, URLs and UUIDs become the values of the format, which `StateDecoder` reads too.
/// Foundation's collections and a few other classes keep their class. A `Restorable` object becomes a reference. An
/// object of a listed class encodes itself with `encode(with:)`, and becomes a dictionary.
///
/// Sharing is not preserved: an object is encoded once for each reference to it. An object that contains itself is an
/// error, as is any other failure; the error is in `error`, and `withNSCoder` throws it.
public final class StateArchiver: KeyedStateCoder {
  private var fields: [(String, ArchiveValue)] = []
  private let objects: ObjectEncoding
  /// Whether the coder is that of a node's state, not of an object in it.
  private let isOutermost: Bool

  init(_ objects: ObjectEncoding, isOutermost: Bool) { (self.objects, self.isOutermost) = (objects, isOutermost) }

  /// Returns the fields that an object encodes.
  func fields(of object: any NSSecureCoding) throws -> ArchiveDictionary {
    object.encode(with: self)
    try end()
    return ArchiveDictionary(fields)
  }

  override func store(_ value: ArchiveValue, forKey key: String) {
    if isOutermost { objects.begin(key) }
    if hasEnded {
      record(objects.failure(.unsupportedCall, "the coder was used after encoding had ended"))
    } else if isOutermost {
      do { try objects.state.encode(value, forKey: key) } catch { record(error) }
    } else {
      fields.append((ObjectField.stored(key), value))
    }
  }

  override func storeObject(_ object: Any?, forKey key: String, isConditional: Bool) {
    if isOutermost { objects.begin(key) }
    do {
      guard let object = object.flatMap(unwrapped) else { return store(isOutermost && !hasEnded ? waiting(key) : .null, forKey: key) }
      if isConditional, !(object is any Restorable) {
        throw objects.failure(
          .unsupportedCall, "encodeConditionalObject of a \(type(of: object)); only restorable objects can be encoded conditionally")
      }
      var value = try objects.value(of: object, forKey: isOutermost && !hasEnded ? key : nil)
      if isOutermost, !hasEnded { completeReferences(in: &value, key) }
      store(value, forKey: key)
    } catch {
      record(error)
    }
  }

  /// Returns what is stored in place of nil: null, or what waited of a value that was decoded as nil or as a list.
  private func waiting(_ key: String) -> ArchiveValue {
    let missing = objects.state.waitingElements(forKey: key)
    if let list = missing.first?.list { return ReferenceList(className: list, elements: missing.map { .reference($0.target) }).value }
    return objects.state.waitingTarget(forKey: key, isNil: true).map { .reference($0) } ?? .null
  }

  /// Adds the references that left a list when it was decoded, because what they lead to waits.
  private func completeReferences(in value: inout ArchiveValue, _ key: String) {
    guard var list = ReferenceList(value) else {
      _ = objects.state.waitingTarget(forKey: key, isNil: false)
      return
    }
    for (place, target, _) in objects.state.waitingElements(forKey: key, besides: Set(list.targets.compactMap(\.self))) {
      list.elements.insert(.reference(target), at: min(place, list.elements.count))
    }
    value = list.value
  }

  override var listedClasses: [AnyClass] { objects.classes.all }
}

/// An optional, with any wrapped type.
private protocol OptionalObject {
  var object: Any? { get }
}

extension Optional: OptionalObject {
  fileprivate var object: Any? { self }
}

/// Returns the value inside any number of optionals.
private func unwrapped(_ object: Any) -> Any? {
  guard let optional = object as? any OptionalObject else { return object }
  return optional.object.flatMap(unwrapped)
}
