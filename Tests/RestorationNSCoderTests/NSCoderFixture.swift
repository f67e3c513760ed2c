import Foundation
import RestorationNSCoder
import Testing

/// A class of an app, with values, objects and collections inside.
final class Article: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var title: String
  var author: Person?
  var tags: [String]
  var rating: Double

  init(_ title: String, author: Person? = nil, tags: [String] = [], rating: Double = 0) {
    self.title = title
    self.author = author
    self.tags = tags
    self.rating = rating
  }

  func encode(with coder: NSCoder) {
    coder.encode(title, forKey: "title")
    coder.encode(author, forKey: "author")
    coder.encode(tags, forKey: "tags")
    coder.encode(rating, forKey: "rating")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title") as String? else { return nil }
    self.title = title
    author = coder.decodeObject(of: Person.self, forKey: "author")
    tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String] ?? []
    rating = coder.decodeDouble(forKey: "rating")
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Article else { return false }
    return title == other.title && author == other.author && tags == other.tags && rating == other.rating
  }
  override var hash: Int { title.hashValue }
}

/// A class with a subclass, and with keys that begin with a dollar sign.
class Person: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  var name: String

  init(_ name: String) { self.name = name }

  func encode(with coder: NSCoder) {
    coder.encode(name, forKey: "$class")
    coder.encode(name.count, forKey: "$$count")
  }

  required init?(coder: NSCoder) {
    name = coder.decodeObject(of: NSString.self, forKey: "$class") as String? ?? ""
    if coder.decodeInteger(forKey: "$$count") != name.count { return nil }
  }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? Person).map { type(of: $0) == type(of: self) && $0.name == name } ?? false
  }
  override var hash: Int { name.hashValue }
}

final class Editor: Person {}

/// A class whose objects all have the same hash value.
final class Namesake: Person {
  override var hash: Int { 7 }
}

/// A class whose objects form lists, trees and cycles.
final class Link: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var next: Link?
  var other: Link?
  /// A collection.
  var content: Any?

  override init() {}

  /// The value of a link without others.
  var stored: ArchiveValue { ["$class": "Link", "next": .null, "other": .null] }

  func encode(with coder: NSCoder) {
    coder.encode(next, forKey: "next")
    coder.encode(other, forKey: "other")
    if let content { coder.encode(content, forKey: "content") }
  }

  init?(coder: NSCoder) {
    next = coder.decodeObject(of: Link.self, forKey: "next")
    other = coder.decodeObject(of: Link.self, forKey: "other")
  }

  /// Returns a list of links, each the next of the one before.
  static func list(_ count: Int) -> Link {
    let first = Link()
    var last = first
    for _ in 1..<count {
      let link = Link()
      last.next = link
      last = link
    }
    return first
  }

  var count: Int {
    var count = 0
    var link: Link? = self
    while let current = link { (count, link) = (count + 1, current.next) }
    return count
  }
}

/// A class that reports an error of its own.
final class Failing: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  struct Failure: Error {}
  override init() {}
  func encode(with coder: NSCoder) { coder.encode(1, forKey: "version") }
  init?(coder: NSCoder) {
    super.init()
    coder.failWithError(Failure())
  }
}

/// A class without secure coding.
final class Insecure: NSObject, NSCoding {
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

let allClasses: ObjectClasses = [
  "Article": Article.self, "Person": Person.self, "Author": Person.self, "Editor": Editor.self, "Namesake": Namesake.self,
  "Link": Link.self, "Failing": Failing.self,
]

/// Returns an archive with one node, whose state is encoded with an `NSCoder`.
func saved(_ classes: ObjectClasses = allClasses, _ encode: (NSCoder) throws -> Void) throws -> ArchiveReader {
  let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "42"))
  try writer.addNode("node") { coder in try coder.withNSCoder(classes: classes) { try encode($0) } }
  return try ArchiveReader(writer.finish())
}

/// Returns an archive with one node with this state.
func saved(_ state: ArchiveDictionary) throws -> ArchiveReader {
  try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("node", state: state)]).encoded())
}

extension ArchiveReader {
  /// The state of the node.
  func nodeState() throws -> ArchiveDictionary { try #require(try node(at: "node")).state() }

  /// Decodes the state of the node; throws the first error of a call.
  func decode<Result>(_ classes: ObjectClasses = allClasses, _ body: (NSCoder) throws -> Result) throws -> Result {
    try decoder(at: "node").withNSCoder(classes: classes) { try body($0) }
  }

  /// Returns the result of a call and its error.
  func attempt<Result>(_ classes: ObjectClasses = allClasses, _ body: (NSCoder) -> Result) throws -> (Result, (any Error)?) {
    var result: (Result, (any Error)?)?
    try? decoder(at: "node").withNSCoder(classes: classes) { result = (body($0), $0.error) }
    return try #require(result)
  }
}

extension ArchiveReader {
  /// Returns the code of the error with which an object of this class is refused.
  func refusal(of objectClass: AnyClass, forKey key: String) throws -> String {
    let (result, error) = try attempt { $0.decodeObject(of: [objectClass], forKey: key) }
    #expect(result == nil)
    return code(error)
  }
}

/// The stable name of an error of the package, or the type of another error.
func code(_ error: (any Error)?) -> String {
  switch error {
  case nil: "none"
  case let error as ArchiveError: error.code.rawValue
  case let error as RestorationError: error.code.rawValue
  case let error?: "\(type(of: error))"
  }
}

/// Returns the code of the error that `body` throws.
func code(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "none"
  } catch {
    return code(error)
  }
}
