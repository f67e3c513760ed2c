import Foundation
import RestorationArchive
import Testing

/// Descriptions of values are safe to print and log: they cause no traps, move no cursor and show nothing sensitive.
@Suite struct DescriptionTests {
  private static let hostile = "a\u{1B}[2J\u{202E}b"
  private static let escaped = "a\\u{1b}[2J\\u{202e}b"
  private static let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
  private static let farDate = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: 1e300))
  private static let noDate = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: .nan))

  static let values: [(ArchiveValue, description: String, text: String?)] = [
    (nil, "null", nil), (true, "bool", "true"), (-7, "integer", "-7"), (1.5, "float64", "1.5"),
    (.string(hostile), "string of \(hostile.utf8.count) bytes", "\"\(escaped)\""), ("x", "string of 1 byte", "\"x\""),
    (.data(Data([1, 2])), "data of 2 bytes", nil),
    (.date(Date(timeIntervalSinceReferenceDate: 0.25)), "date", "2001-01-01T00:00:00.250Z"), (farDate, "date", "date 1e+300"),
    (noDate, "date", "date nan"), (.uuid(uuid), "uuid", "00112233-4455-6677-8899-aabbccddeeff"),
    (.url(hostile), "url of \(hostile.utf8.count) bytes", "<\(escaped)>"), ([1, ["x"]], "array of 2 elements", nil),
    ([:], "dictionary of 0 entries", nil), (["a": 1], "dictionary of 1 entry", nil), (.reference("root/a~1b"), "-> root/a~1b", nil),
  ]

  @Test("Behaviours 69: a value's description is its kind; tools show the value on one line when asked", arguments: values)
  func describesValues(_ value: ArchiveValue, _ description: String, _ text: String?) {
    #expect(value.description == description && "\(value)" == description)
    #expect(String(reflecting: value) == description)
    #expect(value.displayText == text ?? description)
  }

  @Test("sensitive values are omitted at any depth, also from mirrors")
  func hidesSensitiveValues() {
    let inner = ArchiveDictionary([.init(key: "pin", value: "1234", isSensitive: true), .init(key: Self.hostile, value: 1)])
    let outer: ArchiveDictionary = ["list": [.dictionary(inner)]]
    #expect(inner.description == "[\(Self.escaped): integer, pin: <sensitive>]")
    #expect(outer.description == "[list: array of 1 element]")
    for value in [outer, outer["list"] as Any, inner.entry(forKey: "pin") as Any, Sensitive(wrappedValue: "1234")] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.contains("1234"), "\(text)")
      #expect(!"\(String(reflecting: value))".contains("1234"))
    }
  }

  @Test(
    "headers and origins with any date can be described and mirrored", arguments: [1e300, -1e300, .infinity, .nan, 0.0001])
  func describesDates(_ seconds: Double) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let header = ArchiveHeader(bundleVersion: Self.hostile, timestamp: date, additional: ["a.b": .date(date)])
    let origin = ArchiveOrigin(bundleVersion: Self.hostile, timestamp: date, sessionsCarried: 3)
    for text in ["\(header)", "\(origin)"] {
      #expect(text.contains(Self.escaped))
      #expect(text.contains(seconds == 0.0001 ? "about 2001-01-01T00:00:00Z" : "date "), "\(text)")
    }
    for value in [header, origin, ArchiveValue.date(date), ArchiveDictionary.Entry(key: "at", value: .date(date))] as [Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.isEmpty)
    }
    #expect(Mirror(reflecting: header).children.map(\.label) == ["a.b", "bundleVersion", "timestamp"])
    #expect(Mirror(reflecting: origin).children.isEmpty)
  }

  @Test("an origin describes its build, time and sessions, as far as known")
  func describesOrigins() {
    #expect("\(ArchiveOrigin())" == "an unknown build, carried for 0 sessions")
    #expect("\(ArchiveOrigin(sessionsCarried: 1))" == "an unknown build, carried for 1 session")
    let origin = ArchiveOrigin(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0), sessionsCarried: 2)
    #expect("\(origin)" == "build 42 at 2001-01-01T00:00:00Z, carried for 2 sessions")
  }

  @Test("an error is described in one line that is safe to print (R-12-1)")
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

  @Test("a list of findings is described by its findings")
  func describesFindings() throws {
    #expect(ArchiveCheck(try ArchiveTree().encoded()).findings.description == "[]")
    let findings = ArchiveCheck([]).findings
    #expect(findings.map(\.code) == [.emptyFile])
    #expect(findings.description == "[\(findings[0])]")
  }

  @Test("a path that is too long for a line is shortened to its end")
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
