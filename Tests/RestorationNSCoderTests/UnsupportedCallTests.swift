import Foundation
import RestorationNSCoder
import Testing

/// A call that is an error instead of the end of the process.
struct UnsupportedCall: Sendable, CustomStringConvertible {
  let description: String
  let call: @Sendable (NSCoder) -> Void

  init(_ description: String, _ call: @escaping @Sendable (NSCoder) -> Void) {
    self.description = description
    self.call = call
  }

  static let encoding: [UnsupportedCall] = [
    UnsupportedCall("encode(_:)") { $0.encode("a") },
    UnsupportedCall("encode(_: Data)") { $0.encode(Data()) },
    UnsupportedCall("encodeRootObject") { $0.encodeRootObject("a") },
    UnsupportedCall("encodeBycopyObject") { $0.encodeBycopyObject("a") },
    UnsupportedCall("encodeByrefObject") { $0.encodeByrefObject("a") },
    UnsupportedCall("encodeConditionalObject(_:)") { $0.encodeConditionalObject("a") },
    UnsupportedCall("encodePropertyList") { $0.encodePropertyList(["a"]) },
    UnsupportedCall("encodeValue") { unsafe $0.encodeValue(ofObjCType: "i", at: [1 as Int32]) },
    UnsupportedCall("encodeArray") { unsafe $0.encodeArray(ofObjCType: "i", count: 1, at: [1 as Int32]) },
    UnsupportedCall("encodeBytes") { unsafe $0.encodeBytes([1 as UInt8], length: -1) },
    UnsupportedCall("encodeConditionalObject") { $0.encodeConditionalObject("a", forKey: "k") },
    UnsupportedCall("version") { #expect($0.version(forClassName: "NSString") == NSNotFound) },
    UnsupportedCall("decodeBool of an encoder") { #expect(!$0.decodeBool(forKey: "k")) },
    UnsupportedCall("decodeObject of an encoder") { #expect($0.decodeObject(forKey: "k") == nil) },
    UnsupportedCall("containsValue of an encoder") { #expect(!$0.containsValue(forKey: "k")) },
  ]

  static let decoding: [UnsupportedCall] = [
    UnsupportedCall("decodeObject()") { #expect($0.decodeObject() == nil) },
    UnsupportedCall("decodeData()") { #expect($0.decodeData() == nil) },
    UnsupportedCall("decodePropertyList()") { #expect($0.decodePropertyList() == nil) },
    UnsupportedCall("decodeValue") { coder in
      var value: Int32 = 7
      unsafe coder.decodeValue(ofObjCType: "i", at: &value)
      #expect(value == 7)
    },
    UnsupportedCall("decodeArray") { coder in
      var values: [Int32] = [7]
      unsafe coder.decodeArray(ofObjCType: "i", count: 1, at: &values)
      #expect(values == [7])
    },
    UnsupportedCall("version") { #expect($0.version(forClassName: "NSString") == NSNotFound) },
    UnsupportedCall("encode of a decoder") { $0.encode(1, forKey: "k") },
    UnsupportedCall("encode object of a decoder") { $0.encode("a", forKey: "k") },
  ]
}

@Suite struct UnsupportedCallTests {
  @Test("an error names the key of its own call")
  func namesKey() throws {
    let error = #expect(throws: RestorationError.self) {
      _ = try saved { coder in
        coder.encode(Person("Ann"), forKey: "first")
        coder.encodeConditionalObject(Person("Bob"), forKey: "second")
      }
    }
    #expect("\(try #require(error))".contains("key \"second\""))
    // The same for a coder that is used after its time.
    var escaped: NSCoder?
    let archive = try saved { coder in
      coder.encode("a", forKey: "first")
      escaped = coder
    }
    escaped?.encode("b", forKey: "late")
    #expect("\(try #require(escaped?.error))".contains("key \"late\""))
    try archive.decode { coder in
      _ = coder.decodeObject(forKey: "first")
      escaped = coder
    }
    _ = escaped?.decodeInteger(forKey: "tardy")
    #expect("\(try #require(escaped?.error))".contains("key \"tardy\""))
  }

  @Test("an unsupported call while encoding is an error", arguments: UnsupportedCall.encoding)
  func encoding(_ unsupported: UnsupportedCall) {
    #expect(code { _ = try saved { unsupported.call($0) } } == "unsupported-call")
  }

  @Test("an unsupported call while decoding is an error", arguments: UnsupportedCall.decoding)
  func decoding(_ unsupported: UnsupportedCall) throws {
    let archive = try saved(["k": 1])
    #expect(code { try archive.decode { unsupported.call($0) } } == "unsupported-call")
  }

  @Test("a coder that is used after its closure does nothing, and says so")
  func late() throws {
    var late: [NSCoder] = []
    let archive = try saved { late.append($0) }
    _ = try archive.decode { late.append($0) }
    late[0].encode(1, forKey: "k")
    #expect(late[1].decodeInteger(forKey: "k") == 0)
    #expect(late.map { code($0.error) } == ["unsupported-call", "unsupported-call"])
    #expect(try archive.nodeState() == [:])
  }

  @Test("the properties of the coders")
  func properties() throws {
    _ = try saved { coder in
      #expect(coder.requiresSecureCoding && coder.allowsKeyedCoding && coder.error == nil)
      #expect(coder.decodingFailurePolicy == .setErrorAndReturn)
    }
    let classes = try saved([:]).decode { $0.allowedClasses } ?? []
    #expect(
      classes.contains { $0 == Article.self } && classes.contains { $0 == NSMutableArray.self } && !classes.contains { $0 == Insecure.self }
    )
  }
}
