import Foundation
import RestorationArchive
import Testing

/// Behaviour 85: a number converts where nothing is lost, so that a build may change the type of a property.
@Suite struct NumberConversionTests {
  private struct Integers: Codable, Equatable {
    var zoom = 3
    var list = [1, -2, 0]
    var named = ["a": 7]
    var small: Int8? = 100
  }

  private struct Doubles: Codable, Equatable {
    var zoom = 3.0
    var list = [1.0, -2, 0]
    var named = ["a": 7.0]
    var small: Float? = 100
  }

  /// Encodes a value under `k`, and returns a decoder.
  private static func decoder(of value: some Encodable) throws -> StateDecoder {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(value, forKey: "k") }
    return try ArchiveReader(writer.finish()).application().decoder()
  }

  @Test("85: integers become floating-point numbers and the reverse, in keyed calls and in Codable types, at any depth")
  func behaviour85Converts() throws {
    #expect(try Self.decoder(of: 3).decode(Double.self, forKey: "k") == 3)
    #expect(try Self.decoder(of: -3).decode(Float.self, forKey: "k") == -3)
    #expect(try Self.decoder(of: 3.0).decode(Int.self, forKey: "k") == 3)
    #expect(try Self.decoder(of: -3.0).decode(Int8.self, forKey: "k") == -3)
    #expect(try Self.decoder(of: 9_007_199_254_740_992).decode(Double.self, forKey: "k") == 9_007_199_254_740_992)
    #expect(try Self.decoder(of: 18_446_744_073_709_549_568.0).decode(UInt64.self, forKey: "k") == 18_446_744_073_709_549_568)
    #expect(try Self.decoder(of: Integers()).decode(Doubles.self, forKey: "k") == Doubles())
    #expect(try Self.decoder(of: Doubles()).decode(Integers.self, forKey: "k") == Integers())
  }

  @Test("85: a number that would lose something is an error, as is any other type")
  func behaviour85Refuses() throws {
    func code<Value: Decodable>(_ value: some Encodable, _ type: Value.Type) throws -> String? {
      let decoder = try Self.decoder(of: value)
      do {
        _ = try decoder.decode(type, forKey: "k")
        return nil
      } catch {
        return (error as? ArchiveError)?.code.description
      }
    }
    #expect(try code(9_007_199_254_740_993, Double.self) == "number-out-of-range")
    #expect(try code(UInt64.max, Double.self) == "number-out-of-range")
    #expect(try code(3.5, Int.self) == "wrong-type")
    #expect(try code(Double.nan, Int.self) == "wrong-type")
    #expect(try code(Double.infinity, Int.self) == "wrong-type")
    #expect(try code(300.0, Int8.self) == "number-out-of-range")
    #expect(try code(-1.0, UInt.self) == "number-out-of-range")
    #expect(try code(1e300, Int.self) == "number-out-of-range")
    #expect(try code(true, Int.self) == "wrong-type" && code(true, Double.self) == "wrong-type")
    #expect(try code(1, Bool.self) == "wrong-type" && code("1", Int.self) == "wrong-type")
  }
}
