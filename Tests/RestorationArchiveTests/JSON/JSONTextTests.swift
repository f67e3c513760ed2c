import PropertyKit
import Foundation
import RestorationArchive
import Testing

/// The text of the JSON form (section 7 of `Spec/json.md`).
@Suite struct JSONTextTests {
  private func text(_ value: ArchiveValue) throws -> String {
    let json = String(decoding: ArchiveTree(applicationState: ["v": value]).json(), as: UTF8.self)
    let start = try #require(json.range(of: "\"v\": "))
    let end = try #require(json.range(of: "\n  },\n  \"restorationArchive\""))
    return String(json[start.upperBound..<end.lowerBound])
  }

  @Test("a date has the text form if and only if the text converts back to the same bits (R-J7-1)")
  func writesDates() throws {
    for (seconds, expected) in [
      (0.0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.250Z"), (-0.001, "2000-12-31T23:59:59.999Z"),
      (787_000_000, "2025-12-09T19:06:40Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599.999, "9999-12-31T23:59:59.999Z"),
      (5_097_600, "2001-03-01T00:00:00Z"), (99_705_600, "2004-02-29T00:00:00Z"), (-63_113_904_000.001, nil), (252_423_993_600, nil),
      (0.0001, nil), (-0.0, nil), (1e300, nil), (.nan, nil), (.infinity, nil),
    ] as [(Double, String?)] {
      let written = try text(.date(Date(timeIntervalSinceReferenceDate: seconds)))
      if let expected {
        #expect(written.contains("\"\(expected)\""), "\(seconds): \(written)")
      } else {
        #expect(!written.contains("Z\""), "\(seconds): \(written)")
      }
      let tree = ArchiveTree(applicationState: ["v": .date(Date(timeIntervalSinceReferenceDate: seconds))])
      #expect(try ArchiveTree(json: tree.json()) == tree)
    }
  }

  @Test("random dates round-trip", arguments: UInt64(0)..<4)
  func roundTripsDates(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let milliseconds = Int64(bitPattern: random.next()) >> UInt64(14 + random.below(40))
      let tree = ArchiveTree(applicationState: ["v": .date(Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1000))])
      #expect(try ArchiveTree(json: tree.json()) == tree)
    }
  }

  @Test(
    "floats have the fewest digits, in the specified layout (R-J7-2)",
    arguments: [
      (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (1.5, "1.5"), (-120, "-120.0"), (0.1, "0.1"), (0.0001, "0.0001"), (0.00012, "0.00012"),
      (0.00001, "1e-05"), (0.000012, "1.2e-05"), (1e15, "1000000000000000.0"), (1e16, "1e+16"), (1.25e16, "1.25e+16"),
      (9_007_199_254_740_992, "9007199254740992.0"), (9_999_999_999_999_998, "9999999999999998.0"), (1e22, "1e+22"), (1e100, "1e+100"),
      (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (123_456.789, "123456.789"),
    ])
  func writesFloats(_ value: Double, _ expected: String) throws {
    #expect(try text(.float(value)) == expected)
  }

  @Test("floats that are not finite numbers are tagged (R-J7-2)")
  func writesOddFloats() throws {
    #expect(try text(.float(.infinity)).contains("\"$float\": \"inf\""))
    #expect(try text(.float(-.infinity)).contains("\"$float\": \"-inf\""))
    #expect(try text(.float(Double(bitPattern: 0x7FF8_0000_0000_0000))).contains("\"$float\": \"nan\""))
    #expect(try text(.float(Double(bitPattern: 0xFFF0_0000_0000_0001))).contains("\"$float\": \"0xfff0000000000001\""))
  }

  @Test("random floats round-trip, and Swift parses the same digits", arguments: UInt64(0)..<4)
  func roundTripsFloats(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let value = Double(bitPattern: random.next())
      if value.isFinite { #expect(Double(try text(.float(value)))?.bitPattern == value.bitPattern) }
    }
  }

  @Test("dictionaries are wrapped if and only if they would be read as tagged objects (R-J7-3)")
  func wrapsDictionaries() throws {
    #expect(try text(["$date": 1]).contains("$dictionary"))
    #expect(try text(["$": 1]).contains("$dictionary"))
    #expect(!(try text(["$date": 1, "$url": 2]).contains("$dictionary")))
    #expect(!(try text(["date": 1]).contains("$dictionary")))
    #expect(!(try text([:]).contains("$dictionary")))
  }

  @Test("layout, order and omissions follow the rules (R-J7-4)")
  func laysOut() throws {
    let tree = ArchiveTree(
      header: ArchiveHeader(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0)),
      nodes: [
        ArchiveNode("root", type: "Window", schemaVersion: 2, origin: ArchiveOrigin(sessionsCarried: 1), state: ["b": [], "a": [1, [:]]])
      ])
    let expected = """
      {
        "header": {
          "bundleVersion": "42",
          "timestamp": {
            "$date": "2001-01-01T00:00:00Z"
          }
        },
        "nodes": [
          {
            "identifier": "root",
            "origin": 1,
            "schema": 2,
            "state": {
              "a": [
                1,
                {}
              ],
              "b": []
            },
            "type": "Window"
          }
        ],
        "origins": [
          {
            "sessionsCarried": 1
          }
        ],
        "restorationArchive": 1
      }

      """
    #expect(String(decoding: tree.json(), as: UTF8.self) == expected)
    #expect(String(decoding: ArchiveTree().json(), as: UTF8.self) == "{\n  \"restorationArchive\": 1\n}\n")
  }

  @Test("only characters that move the cursor are escaped (R-J7-5)")
  func escapesTexts() throws {
    for (text, expected) in [
      ("\"\\/", #""\"\\/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#), ("\0\u{1B}\u{7F}\u{9F}", #""\u0000\u001b\u007f\u009f""#),
      ("\u{202E}\u{2066}\u{200F}\u{61C}\u{FEFF}\u{2028}", #""\u202e\u2066\u200f\u061c\ufeff\u2028""#), ("é日👩‍👩‍👧‍👦", "\"é日👩‍👩‍👧‍👦\""), ("", "\"\""),
    ] {
      #expect(try self.text(.string(text)) == expected)
    }
  }

  @Test("redacting replaces sensitive values with null")
  func redacts() throws {
    let state = ArchiveDictionary([
      ArchiveDictionary.Entry(key: "a", value: ["secret": "x"], isSensitive: true), ArchiveDictionary.Entry(key: "b", value: "open"),
    ])
    let tree = ArchiveTree(nodes: [ArchiveNode("root", state: state)])
    #expect(tree.hasSensitiveValues)
    let redacted = String(decoding: tree.json(sensitiveValues: .redact), as: UTF8.self)
    #expect(!redacted.contains("secret"))
    #expect(redacted.contains("\"$sensitive\": null"))
    #expect(redacted.contains("open"))
    #expect(try ArchiveTree(json: tree.json()) == tree)
  }

  @Test("65,535 origins are accepted, and the next is refused (R-4.3-11, R-J8-1)")
  func countsOrigins() throws {
    func text(_ count: Int) -> (String, lastOrigin: Int) {
      let beginning = #"{"restorationArchive":1,"origins":["# + (1..<count).map { #"{"sessionsCarried":\#($0)},"# }.joined()
      let nodes = (1...count).map { #"{"identifier":"\#($0)","origin":\#($0)}"# }.joined(separator: ",")
      return (beginning + #"{}],"nodes":["# + nodes + "]}", beginning.utf8.count)
    }
    #expect(try ArchiveTree(json: Data(text(65_535).0.utf8)).nodes.count == 65_535)
    let (tooMany, lastOrigin) = text(65_536)
    let error = #expect(throws: ArchiveError.self) { try ArchiveTree(json: Data(tooMany.utf8)) }
    #expect(error?.code.rawValue == "table-size" && error?.offset == lastOrigin && error?.rule == "R-4.3-11")
  }

  @Test("65,535 types are accepted, and one more is refused (R-4.3-12, R-J8-1)")
  func countsTypes() throws {
    // The last node has the type of the first.
    func text(_ count: Int) -> String {
      let nodes = (0...count).map { #"{"identifier":"\#($0)","schema":\#($0 % count / 2),"type":"T\#($0 % count % 2)"}"# }
      return #"{"restorationArchive":1,"nodes":["# + nodes.joined(separator: ",") + "]}"
    }
    #expect(try ArchiveTree(json: Data(text(65_535).utf8)).nodes.count == 65_536)
    let error = #expect(throws: ArchiveError.self) { try ArchiveTree(json: Data(text(65_536).utf8)) }
    #expect(error?.code.rawValue == "table-size" && error?.rule == "R-4.3-12")
    #expect(error?.offset == #"{"restorationArchive":1,"nodes":"#.utf8.count)
  }
}
