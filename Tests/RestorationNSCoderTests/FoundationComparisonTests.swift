import Foundation
import RestorationNSCoder
import Testing

/// A row of the table "What is reported now" in the guide "Coming from UIKit or AppKit".
struct ReportedCase: Sendable, CustomStringConvertible {
  let description: String
  let encode: @Sendable (NSCoder) -> Void
  /// The name of the call in ``calls``.
  let call: String
  /// The result of Foundation's unarchiver, which sets no error.
  let foundation: String
  /// The result here, or the code of the error.
  let result: String

  init(_ call: String, of description: String, _ foundation: String, _ result: String, encode: @escaping @Sendable (NSCoder) -> Void) {
    (self.description, self.encode, self.call) = ("\(call) of \(description)", encode, call)
    (self.foundation, self.result) = (foundation, result)
  }

  static let calls: [String: @Sendable (NSCoder) -> String] = [
    "integer": { "\($0.decodeInteger(forKey: "k"))" }, "int32": { "\($0.decodeInt32(forKey: "k"))" },
    "bool": { "\($0.decodeBool(forKey: "k"))" }, "number": { $0.decodeObject(of: NSNumber.self, forKey: "k").map { "\($0)" } ?? "nil" },
    "article": { $0.decodeObject(of: Article.self, forKey: "k").map { "\($0)" } ?? "nil" },
    "person": { $0.decodeObject(of: Person.self, forKey: "k").map { "\($0)" } ?? "nil" },
  ]

  static let all: [ReportedCase] = [
    ReportedCase("integer", of: "1.5", "1", "number-out-of-range") { $0.encode(1.5, forKey: "k") },
    ReportedCase("int32", of: "2^63-1", "-1", "number-out-of-range") { $0.encode(Int.max, forKey: "k") },
    ReportedCase("bool", of: "300", "false", "number-out-of-range") { $0.encode(300, forKey: "k") },
    ReportedCase("integer", of: "a string", "0", "wrong-type") { $0.encode("7", forKey: "k") },
    ReportedCase("bool", of: "a string", "false", "wrong-type") { $0.encode("7", forKey: "k") },
    ReportedCase("integer", of: "an NSNumber", "0", "7") { $0.encode(NSNumber(value: 7), forKey: "k") },
    ReportedCase("number", of: "a string", "nil", "object-class") { $0.encode("7", forKey: "k") },
    ReportedCase("article", of: "an article that init(coder:) refuses", "nil", "object-refused") { coder in
      coder.encode(Nameless(), forKey: "k")
    },
  ]
}

/// Encodes itself as an article without a title, which ``Article`` refuses to decode.
final class Nameless: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) { coder.encode(1.0, forKey: "rating") }
}

@Suite struct FoundationComparisonTests {
  @Test("each case of the guide is reported here", arguments: ReportedCase.all)
  func isReported(_ reported: ReportedCase) throws {
    let call = try #require(ReportedCase.calls[reported.call])
    let archive = try saved(["Article": Nameless.self]) { coder in
      reported.encode(coder)
      coder.encode(5, forKey: "after")
    }
    let (result, error) = try archive.attempt(["Article": Article.self]) { coder in
      let result = call(coder)
      #expect(coder.decodeInteger(forKey: "after") == 5)
      return result
    }
    #expect((error == nil ? result : code(error)) == reported.result)
  }

  #if !canImport(ObjectiveC)
    @Test("Foundation returns what the guide says, without an error", arguments: ReportedCase.all)
    func isHidden(_ reported: ReportedCase) throws {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.setClassName("Article", for: Nameless.self)
      reported.encode(archiver)
      archiver.encode(5, forKey: "after")
      archiver.finishEncoding()
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      unarchiver.setClass(Article.self, forClassName: "Article")
      let call = try #require(ReportedCase.calls[reported.call])
      #expect(call(unarchiver) == reported.foundation)
      #expect(unarchiver.error == nil)
    }

    @Test("an absent key is an error of Foundation's, and none here")
    func absentKey() throws {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.encode(5, forKey: "after")
      archiver.finishEncoding()
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      #expect(unarchiver.decodeObject(forKey: "k") == nil)
      #expect(unarchiver.error != nil)
      #expect(try saved(["after": 5]).attempt { $0.decodeObject(forKey: "k") == nil && $0.error == nil }.0)
    }
  #endif
}
