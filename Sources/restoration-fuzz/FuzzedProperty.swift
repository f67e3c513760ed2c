import EngineKit
import KeyedArchiveKit
import PropertyKit

/// A property for the fuzzer: one of the archive's, of keyed archives, or the engine's.
enum FuzzedProperty {
  case archive(ArchiveProperty)
  case keyedArchive(KeyedArchiveProperty)
  case engine

  /// The names of all properties.
  static let names = ArchiveProperty.allCases.map(\.rawValue) + KeyedArchiveProperty.allCases.map(\.rawValue) + ["engine"]

  /// Creates the property with a name; nil if there is none.
  init?(name: String) {
    if name == "engine" {
      self = .engine
    } else if let property = ArchiveProperty(rawValue: name) {
      self = .archive(property)
    } else if let property = KeyedArchiveProperty(rawValue: name) {
      self = .keyedArchive(property)
    } else {
      return nil
    }
  }

  /// The property's name.
  var name: String {
    switch self {
    case .archive(let property): property.rawValue
    case .keyedArchive(let property): property.rawValue
    case .engine: "engine"
    }
  }

  /// The largest input that the fuzzer makes.
  var maximumBytes: Int {
    if case .keyedArchive(let property) = self { property.maximumSeedBytes } else { 8192 }
  }

  /// Throws if the property does not hold for `bytes`.
  func check(_ bytes: [UInt8]) throws {
    switch self {
    case .archive(let property): try property.check(bytes)
    case .keyedArchive(let property): try property.check(bytes)
    case .engine: try EngineProperty.check(bytes)
    }
  }
}
