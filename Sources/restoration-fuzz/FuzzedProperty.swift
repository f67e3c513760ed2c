import PropertyKit
import EngineKit

/// What can be fuzzed: a property of archives, or that of the engine.
enum FuzzedProperty {
  case archive(ArchiveProperty)
  case engine

  /// All names.
  static let names = ArchiveProperty.allCases.map(\.rawValue) + ["engine"]

  /// The property with a name; nil if there is none.
  init?(name: String) {
    if name == "engine" {
      self = .engine
    } else if let property = ArchiveProperty(rawValue: name) {
      self = .archive(property)
    } else {
      return nil
    }
  }

  /// Its name.
  var name: String {
    switch self {
    case .archive(let property): property.rawValue
    case .engine: "engine"
    }
  }

  /// Throws if it does not hold for some bytes.
  func check(_ bytes: [UInt8]) throws {
    switch self {
    case .archive(let property): try property.check(bytes)
    case .engine: try EngineProperty.check(bytes)
    }
  }
}
