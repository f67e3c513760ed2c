import Foundation
import RestorationArchive
import Testing

/// Paths as arrays of identifiers and as text (R-3.1-2, R-3.1-4).
@Suite struct RestorationPathTests {
  static let texts: [(text: String, components: [String])] = [
    ("", []), ("root", ["root"]), ("root/list", ["root", "list"]), ("a~1b/~0", ["a/b", "~"]), ("~01", ["~1"]), ("~0~1~1", ["~//"]),
    (" / ", [" ", " "]), ("é/e\u{301}", ["é", "e\u{301}"]), ("*/**", ["*", "**"]),
  ]

  @Test("text and components convert to each other", arguments: texts.indices)
  func roundTrips(_ index: Int) throws {
    let (text, components) = Self.texts[index]
    let path = try RestorationPath(parsing: text)
    #expect(path.components.map { Array($0.utf8) } == components.map { Array($0.utf8) })
    #expect(Array(path.description.utf8) == Array(text.utf8))
    #expect(try RestorationPath(components: components) == path)
    #expect(RestorationPath(text) == path)
  }

  @Test(
    "malformed texts are rejected with the position of the error",
    arguments: [("/", 0), ("/a", 0), ("a/", 2), ("a//b", 2), ("~", 1), ("a~2", 2), ("a~", 2), ("~/a", 1), ("a/~x/b", 3), ("~~0", 1)])
  func refuses(_ text: String, _ place: Int) {
    let error = #expect(throws: ArchiveError.self) { try RestorationPath(parsing: text) }
    #expect(error?.code == .pathSyntax)
    #expect(error?.offset == place)
    #expect(error?.rule == "R-3.1-4")
    #expect(RestorationPath(text) == nil)
  }

  @Test("a path has at most 256 components (R-3.1-2)")
  func boundsDepth() throws {
    let components = [String](repeating: "n", count: 256)
    #expect(try RestorationPath(components: components).count == 256)
    #expect(#expect(throws: ArchiveError.self) { try RestorationPath(components: components + ["n"]) }?.code == .pathDepth)
    let writer = ArchiveWriter()
    var node: ArchiveWriter.Node?
    for _ in 0..<256 { node = try writer.addNode("n", under: node) }
    #expect(#expect(throws: ArchiveError.self) { try writer.addNode("n", under: node) }?.code == .pathDepth)
    let reader = try ArchiveReader(writer.finish())
    #expect(try reader.node(at: RestorationPath(components: components)) != nil)
  }

  @Test("an interpolated value is one identifier, or a part of one, whatever characters it has; a path is all of its identifiers")
  func interpolates() throws {
    let identifier = UUID()
    for name in ["a/b", "~", "~1", "é", "*"] {
      let path: RestorationPath = "window/\(name)/\(name)-\(2)/\(identifier)"
      #expect(path.components == ["window", name, "\(name)-2", identifier.uuidString])
      #expect("\(path)/end" == path.appending("end"))
    }
  }

  @Test("other formats encode a path as its text", arguments: texts.indices)
  func roundTripsInJSON(_ index: Int) throws {
    let path = try RestorationPath(parsing: Self.texts[index].text)
    let json = try JSONEncoder().encode([path])
    #expect(try JSONDecoder().decode([String].self, from: json) == [path.description])
    #expect(try JSONDecoder().decode([RestorationPath].self, from: json) == [path])
  }

  @Test("decoders of other formats reject malformed paths", arguments: ["/", "a~2"])
  func refusesInJSON(_ text: String) throws {
    let json = try JSONEncoder().encode([text])
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode([RestorationPath].self, from: json) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("[R-3.1-4]"))
  }

  @Test("parents, children and order are computed from the components")
  func relates() {
    let path: RestorationPath = "root/editors/2"
    #expect(path.identifier == "2")
    #expect(path.parent == "root/editors")
    #expect(RestorationPath.application.parent == nil)
    #expect(RestorationPath.application.isEmpty)
    #expect(path.parent?.appending("3") == "root/editors/3")
    #expect(RestorationPath("root").contains(path))
    #expect(RestorationPath.application.contains(path))
    #expect(path.contains(path))
    #expect(!path.contains("root/editors"))
    #expect(!RestorationPath("root/edit").contains(path))
    let paths: [RestorationPath] = ["b", "a/b", "a", "", "a/a/z", "ä"]
    #expect(paths.sorted() == ["", "a", "a/a/z", "a/b", "b", "ä"])
  }
}
