import Foundation
import RestorationNSCoder
import Testing

/// Objects of an app's own classes.
@Suite struct OwnObjectTests {
  @Test("an object is stored by its own calls, under the name in the list, and comes back")
  func keepsObjects() throws {
    let article = Article("News", author: Editor("Bob"), tags: ["a", "b"], rating: 4.5)
    let archive = try saved { $0.encode(article, forKey: "article") }
    let author: ArchiveValue = ["$class": "Editor", "$$class": "Bob", "$$$count": 3]
    #expect(
      try archive.nodeState() == ["article": ["$class": "Article", "title": "News", "author": author, "tags": ["a", "b"], "rating": 4.5]])
    try archive.decode { coder in
      #expect(coder.decodeObject(of: Article.self, forKey: "article") == article)
      #expect(coder.decodeObject(of: [Article.self, NSString.self], forKey: "article") as? Article == article)
      #expect(coder.decodeObject(forKey: "article") as? Article == article)
    }
  }

  @Test("objects inside collections are decoded if their classes are requested")
  func inCollections() throws {
    let articles = [Article("A"), Article("B")]
    let archive = try saved { coder in
      coder.encode(articles, forKey: "list")
      coder.encode(["x": articles[0]], forKey: "map")
    }
    #expect(try archive.decode { $0.decodeObject(of: [NSArray.self, Article.self], forKey: "list") as? [Article] } == articles)
    #expect(
      try archive.decode { $0.decodeObject(of: [NSDictionary.self, Article.self], forKey: "map") as? [String: Article] } == [
        "x": articles[0]
      ])
    #expect(try archive.refusal(of: NSArray.self, forKey: "list") == "object-class")
  }

  @Test("a subclass is decoded where its superclass is requested, and not the other way round")
  func subclasses() throws {
    let archive = try saved { coder in
      coder.encode(Editor("E"), forKey: "editor")
      coder.encode(Person("P"), forKey: "person")
      coder.encode(NSMutableArray(array: [1]), forKey: "mutable")
      coder.encode([1], forKey: "array")
    }
    #expect(try archive.decode { $0.decodeObject(of: Person.self, forKey: "editor") } == Editor("E"))
    #expect(try archive.refusal(of: Editor.self, forKey: "person") == "object-class")
    #expect(try archive.decode { $0.decodeObject(of: NSArray.self, forKey: "mutable") is NSMutableArray })
    #expect(try archive.refusal(of: NSMutableArray.self, forKey: "array") == "object-class")
  }

  @Test("a class is renamed, and its old name still read")
  func renames() throws {
    let old = try saved(["Author": Person.self]) { $0.encode(Person("P"), forKey: "k") }
    #expect(try old.decode { $0.decodeObject(of: Person.self, forKey: "k") } == Person("P"))
    let new = try saved { $0.encode(Person("P"), forKey: "k") }
    #expect(try new.nodeState()["k"] == ["$class": "Person", "$$class": "P", "$$$count": 1])
  }

  @Test("only classes of the list are encoded, and created")
  func lists() throws {
    let list: ObjectClasses = ["Person": Person.self]
    #expect(code { _ = try saved(list) { $0.encode(Article("A"), forKey: "k") } } == "object-class")
    // The subclass is not in the list, and would come back as a `Person`.
    #expect(code { _ = try saved(list) { $0.encode(Editor("E"), forKey: "k") } } == "object-class")
    #expect(code { _ = try saved { $0.encode(Insecure(), forKey: "k") } } == "object-class")
    struct Structure {}
    #expect(code { _ = try saved { $0.encode([Structure()], forKey: "k") } } == "object-class")
    let archive = try saved { $0.encode(Article("A"), forKey: "k") }
    let (result, error) = try archive.attempt(list) { $0.decodeObject(of: [Article.self], forKey: "k") }
    #expect(result == nil && code(error) == "object-class")
    #expect("\(try #require(error))".contains("the class \"Article\" is not in the list of classes"))
  }

  @Test("a mistake in a list is an error of every coder made with it")
  func mistakes() {
    final class Plain: NSObject, NSSecureCoding {
      static var supportsSecureCoding: Bool { false }
      func encode(with coder: NSCoder) {}
      init?(coder: NSCoder) {}
    }
    let lists: [ObjectClasses] = [
      ["": Person.self], ["NSThing": Person.self], ["A": Person.self, "A": Article.self], ["Plain": Plain.self],
    ]
    for list in lists { #expect(code { _ = try saved(list) { $0.encode(1, forKey: "k") } } == "object-class") }
  }

  @Test("an error inside an object fails the object and the call, not the other keys")
  func failures() throws {
    let archive = try saved([
      "refused": ["$class": "Article"], "own": ["$class": "Failing", "version": 1],
      "inner": ["$class": "Article", "title": "A", "rating": "high"],
      "person": ["$class": "Person", "$$class": "Ann", "$$$count": 9], "after": 5,
    ])
    for (key, expected) in [("refused", "object-refused"), ("own", "Failure"), ("inner", "wrong-type"), ("person", "object-refused")] {
      let (result, error) = try archive.attempt { coder in
        let object = coder.decodeObject(forKey: key)
        #expect(coder.decodeInteger(forKey: "after") == 5)
        return object
      }
      #expect(result == nil && code(error) == expected, "\(key)")
    }
  }

  @Test(
    "an object that contains itself is an error", arguments: ["directly", "through another", "through an array", "through a dictionary"])
  func cycles(_ kind: String) throws {
    let link = Link()
    switch kind {
    case "directly": link.next = link
    case "through another":
      link.next = Link()
      link.next?.other = link
    case "through an array": link.content = [[link]]
    default: link.content = ["self": link]
    }
    defer {
      link.next?.other = nil
      (link.next, link.content) = (nil, nil)
    }
    #expect(code { _ = try saved { $0.encode(link, forKey: "k") } } == "object-cycle")
    // The object can be encoded once the cycle is broken, and twice side by side.
    link.next?.other = nil
    (link.next, link.content) = (nil, nil)
    #expect(try saved { $0.encode([link, link], forKey: "k") }.nodeState()["k"] == [link.stored, link.stored])
  }

  @Test("objects are nested up to the limit of the format")
  func depth() throws {
    let deepest = try saved { $0.encode(Link.list(128), forKey: "k") }
    #expect(try deepest.decode { $0.decodeObject(of: Link.self, forKey: "k")?.count } == 128)
    for count in [129, 1000] { #expect(code { _ = try saved { $0.encode(Link.list(count), forKey: "k") } } == "nesting-depth") }
  }

  @Test("shared objects are encoded for each reference, up to a limit")
  func sharing() throws {
    let shared = Person("P")
    let archive = try saved { $0.encode([shared, shared], forKey: "k") }
    let people = try archive.decode { $0.decodeObject(of: [NSArray.self, Person.self], forKey: "k") as? [Person] } ?? []
    #expect(people == [shared, shared] && people.first !== people.last)
    // 2^60 links if it were written out.
    var link = Link()
    for _ in 0..<60 {
      let next = Link()
      (next.next, next.other) = (link, link)
      link = next
    }
    let top = link
    let error = code {
      try ArchiveWriter().addNode("node") { coder in
        try coder.withNSCoder(classes: allClasses, maximumValues: 1000) { $0.encode(top, forKey: "k") }
      }
    }
    #expect(error == "object-limit")
  }

  @Test("two forms of a text in one set or dictionary are refused, because they end the process by chance")
  func normalizationForms() throws {
    let forms: [ArchiveValue] = ["é", "e\u{301}"]
    let states: [ArchiveDictionary] = [
      ["k": ["$class": "NSSet", "elements": .array(forms)]], ["k": ["$class": "NSCountedSet", "elements": .array(forms)]],
      ["k": ["$class": "NSOrderedSet", "elements": .array(forms)]], ["k": ["é": 1, "e\u{301}": 2]],
      ["k": ["$class": "NSDictionary", "entries": .array(forms.flatMap { [$0, 1] })]],
    ]
    for state in states { #expect(code(try saved(state).attempt { $0.decodeObject(forKey: "k") }.1) == "keys-collide") }
    #expect(try saved(["k": .array(forms)]).decode { ($0.decodeObject(forKey: "k") as? NSArray)?.count } == 2)
  }

  @Test("objects that became equal after they were added are refused when they are saved, not when they are restored")
  func equalObjects() throws {
    for count in [2, 40] {
      let people = (0..<count).map { Person("\($0)") }
      let articles = (0..<count).map { Article("\($0)") }
      let collections: [Any] = [
        NSOrderedSet(array: people), NSMutableOrderedSet(array: people), NSSet(array: people), NSMutableSet(array: articles),
        NSCountedSet(array: people),
      ]
      for collection in collections { _ = try saved { $0.encode(collection, forKey: "k") } }
      people[count - 1].name = people[0].name
      articles[count - 1].title = articles[0].title
      for collection in collections {
        #expect(code { _ = try saved { $0.encode(collection, forKey: "k") } } == "keys-collide", "\(type(of: collection))")
      }
    }
  }

  private final class QuotaError: NSError, @unchecked Sendable {
    var limit = 5
  }

  @Test("an object of the app's own subclass of a class of Foundation is refused unless it is listed: it would lose its fields")
  func ownSubclasses() throws {
    let error = QuotaError(domain: "quota", code: 1)
    #expect(code { _ = try saved { $0.encode(error, forKey: "k") } } == "object-class")
    #expect(code { _ = try saved { $0.encode([error], forKey: "k") } } == "object-class")
  }

  @Test("a node keeps nothing of a state that could not be encoded")
  func unwinds() throws {
    let writer = ArchiveWriter()
    let error = code {
      try writer.addNode("node") { coder in
        try coder.withNSCoder { coder in
          coder.encode(1, forKey: "before")
          coder.encode(Insecure(), forKey: "bad")
          coder.encode(2, forKey: "after")
        }
      }
    }
    #expect(error == "object-class")
  }
}
