import Foundation
import RestorationArchive
import Testing

/// What values say of themselves is safe to print and to log: nothing traps, nothing moves a cursor, nothing sensitive is shown.
@Suite struct DescriptionTests {
  private static let hostile = "a\u{1B}[2J\u{202E}b"
  private static let escaped = "a\\u{1b}[2J\\u{202e}b"
  private static let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
  private static let farDate = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: 1e300))
  private static let noDate = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: .nan))

  static let values: [(ArchiveValue, String)] = [
    (nil, "null"), (true, "true"), (-7, "-7"), (1.5, "1.5"), (.string(hostile), "\"\(escaped)\""),
    (.data(Data([1, 2])), "data of 2 bytes"),
    (.date(Date(timeIntervalSinceReferenceDate: 0.25)), "2001-01-01T00:00:00.250Z"), (farDate, "date 1e+300"),
    (noDate, "date nan"), (.uuid(uuid), "00112233-4455-6677-8899-aabbccddeeff"), (.url(hostile), "<\(escaped)>"),
    ([1, ["x"]], "[1, [\"x\"]]"), ([:], "[:]"), (["b": nil, "a": 1], "[a: 1, b: null]"), (.reference("root/a~1b"), "-> root/a~1b"),
  ]

  @Test("each value on one line", arguments: values)
  func describesValues(_ value: ArchiveValue, _ text: String) {
    #expect(value.description == text)
  }

  @Test("sensitive values are left out, at any depth, and so are they by what prints mirrors")
  func hidesSensitiveValues() {
    let inner = ArchiveDictionary([.init(key: "pin", value: "1234", isSensitive: true), .init(key: Self.hostile, value: 1)])
    let outer: ArchiveDictionary = ["list": [.dictionary(inner)]]
    #expect(outer.description == "[list: [[\(Self.escaped): 1, pin: <sensitive>]]]")
    for value in [outer, outer["list"] as Any, inner.entry(forKey: "pin") as Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.contains("1234"), "\(text)")
      #expect(!"\(String(reflecting: value))".contains("1234"))
    }
  }

  @Test(
    "whatever date a file holds, headers and origins describe and mirror themselves", arguments: [1e300, -1e300, .infinity, .nan, 0.0001])
  func describesDates(_ seconds: Double) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let header = ArchiveHeader(bundleVersion: Self.hostile, timestamp: date, additional: ["a.b": .date(date)])
    let origin = ArchiveOrigin(bundleVersion: Self.hostile, timestamp: date, sessionsCarried: 3)
    for text in ["\(header)", "\(origin)"] {
      #expect(text.contains(Self.escaped))
      #expect(text.contains("date "))
    }
    for value in [header, origin, ArchiveValue.date(date), ArchiveDictionary.Entry(key: "at", value: .date(date))] as [Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.isEmpty)
    }
    #expect(Mirror(reflecting: header).children.map(\.label) == ["a.b", "bundleVersion", "timestamp"])
    #expect(Mirror(reflecting: origin).children.isEmpty)
  }

  @Test("an origin says build, time and sessions, as far as they are known")
  func describesOrigins() {
    #expect("\(ArchiveOrigin())" == "an unknown build, carried for 0 sessions")
    let origin = ArchiveOrigin(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0), sessionsCarried: 2)
    #expect("\(origin)" == "build 42 at 2001-01-01T00:00:00Z, carried for 2 sessions")
  }

  @Test("an error is one line that is safe to print (R-12-1)")
  func describesErrors() throws {
    let coder = try Fixture.coder { try $0.encode(1, forKey: Self.hostile) }
    let error = #expect(throws: ArchiveError.self) { try coder.decode(String.self, forKey: Self.hostile) }
    let text = try #require(error?.description)
    #expect(text.contains("path root/list, key \(Self.escaped)"))
    #expect(text.contains("expected String, found integer"))
    #expect(text.hasSuffix("[\(try #require(error?.rule))]"))
    #expect(error?.code.description == "wrong-type")
    let empty = #expect(throws: ArchiveError.self) { try ArchiveReader([UInt8]()) }
    #expect(empty?.description.contains("(at offset 0x0)") == true)
  }

  @Test("findings describe themselves as the list of them")
  func describesFindings() throws {
    #expect(ArchiveCheck(try ArchiveTree().encoded()).findings.description == "[]")
    let findings = ArchiveCheck([]).findings
    #expect(findings.map(\.code) == [.emptyFile])
    #expect(findings.description == "[\(findings[0])]")
  }

  @Test("a path on a line is its end, if it is longer than a line may be")
  func shortensPaths() throws {
    let identifiers = (0..<20).map { "\($0)-" + String(repeating: "x", count: 200) }
    let long = try RestorationPath(components: identifiers)
    let error = #expect(throws: ArchiveError.self) { try ArchiveReader(ArchiveTree().encoded()).decoder(at: long) }
    #expect(error?.path == long)
    let text = try #require(error?.description)
    #expect(text.contains("path …/"))
    #expect(text.contains(identifiers[19]) && !text.contains(identifiers[0]))
    #expect(text.utf8.count < 1400)
    let application = #expect(throws: ArchiveError.self) {
      try ArchiveWriter().encodeApplicationState { try $0.encode(1, forKey: "") }
    }
    #expect(application?.description.contains("path (application)") == true)
  }
}
