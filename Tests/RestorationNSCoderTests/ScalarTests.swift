import Foundation
import RestorationNSCoder
import Testing

@Suite struct ScalarTests {
  @Test("each scalar call stores a value of the format, and gets it back", arguments: ScalarCase.all)
  func roundTrips(_ scalar: ScalarCase) throws {
    let archive = try saved { scalar.encode($0) }
    #expect(try archive.nodeState() == ["k": scalar.stored])
    #expect(try archive.decode { $0.containsValue(forKey: "k") && scalar.matches($0) })
  }

  @Test(
    "a number is converted where nothing is lost; otherwise the call returns nothing and sets an error",
    arguments: ScalarConversion.numbers + ScalarConversion.others)
  func converts(_ conversion: ScalarConversion) throws {
    let call = try #require(ScalarConversion.calls[conversion.call])
    let (result, error) = try saved(["k": conversion.stored, "after": 5]).attempt { coder in
      let result = call(coder)
      // The other keys can still be decoded.
      #expect(coder.decodeInteger(forKey: "after") == 5)
      return result
    }
    if error == nil {
      #expect(result == conversion.result)
    } else {
      #expect(code(error) == conversion.result && result == ScalarConversion.absent[conversion.call])
      #expect("\(try #require(error))".contains("path node, key k"))
    }
  }

  @Test("an absent key and a stored nil give nothing, without an error", arguments: ScalarConversion.absent.keys.sorted())
  func absent(_ name: String) throws {
    let call = try #require(ScalarConversion.calls[name])
    for archive in [try saved(["other": 1]), try saved(["k": .null])] {
      let (result, error) = try archive.attempt { call($0) }
      #expect(result == ScalarConversion.absent[name] && error == nil)
    }
    #expect(try !saved(["other": 1]).decode { $0.containsValue(forKey: "k") })
    #expect(try saved { $0.encode(nil as Any?, forKey: "k") }.decode { $0.containsValue(forKey: "k") })
  }

  @Test("bytes without an address or with a negative length")
  func rareBytes() throws {
    let empty = try saved { unsafe $0.encodeBytes(nil, length: 0, forKey: "k") }
    #expect(try empty.nodeState() == ["k": .data(Data())])
    for length in [-1, 1] {
      #expect(code { _ = try saved { unsafe $0.encodeBytes(nil, length: length, forKey: "k") } } == "unsupported-call")
    }
    let byte: [UInt8] = [7]
    #expect(
      code {
        _ = try saved { coder in unsafe byte.withUnsafeBufferPointer { unsafe coder.encodeBytes($0.baseAddress, length: -1, forKey: "k") } }
      } == "unsupported-call")
  }

  @Test("points, sizes and rectangles, as the platform's own functions store them")
  func geometry() throws {
    let (point, size, rect) = (CGPoint(x: 1.5, y: -2), CGSize(width: 3, height: 4), CGRect(x: 1, y: 2, width: 3, height: 4.25))
    let archive = try saved { coder in
      coder.encode(point, forKey: "point")
      coder.encode(size, forKey: "size")
      coder.encode(rect, forKey: "rect")
    }
    #expect(try archive.decode { $0.decodePoint(forKey: "point") == point && $0.decodeSize(forKey: "size") == size })
    #expect(try archive.decode { $0.decodeRect(forKey: "rect") == rect })
    #expect(try archive.attempt { $0.decodePoint(forKey: "none") } == (.zero, nil))
  }

  @Test("a key that the format cannot store is an error; a repeated key replaces the value")
  func keys() throws {
    #expect(code { _ = try saved { $0.encode(1, forKey: "") } } == "empty-key")
    #expect(code { _ = try saved { $0.encode(1, forKey: String(repeating: "k", count: 65_536)) } } == "string-length")
    let repeated = try saved { coder in
      coder.encode(1, forKey: "k")
      coder.encode("two", forKey: "k")
    }
    #expect(try repeated.nodeState() == ["k": "two"])
  }
}

private func == (left: (CGPoint, (any Error)?), right: (CGPoint, (any Error)?)) -> Bool {
  left.0 == right.0 && (left.1 == nil) == (right.1 == nil)
}
