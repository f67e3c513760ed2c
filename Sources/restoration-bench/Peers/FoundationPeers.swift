import Foundation

/// Foundation's coders over the natural Codable form of the model.
enum FoundationPeers {
  /// Returns an encoder of binary property lists.
  static func propertyListEncoder() -> PropertyListEncoder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }

  static func decodePropertyList(_ data: Data, as shapes: [NodeShape]) throws -> [BenchNode] {
    unsafe BenchForest.next = shapes
    return try PropertyListDecoder().decode(BenchForest.self, from: data).nodes
  }

  static func decodeJSON(_ data: Data, as shapes: [NodeShape]) throws -> [BenchNode] {
    unsafe BenchForest.next = shapes
    return try JSONDecoder().decode(BenchForest.self, from: data).nodes
  }

  /// Opens a file and decodes only the probe's string.
  ///
  /// The file is mapped, which avoids a copy. The probe's path begins with the last root.
  static func firstValueOfPropertyList(_ file: URL, of workload: Workload) throws -> String? {
    unsafe ProbedNode.key = BenchKey(workload.probe.key)
    return try PropertyListDecoder().decode([ProbedNode].self, from: Data(contentsOf: file, options: .mappedIfSafe)).last?.value
  }

  static func firstValueOfJSON(_ file: URL, of workload: Workload) throws -> String? {
    unsafe ProbedNode.key = BenchKey(workload.probe.key)
    return try JSONDecoder().decode([ProbedNode].self, from: Data(contentsOf: file, options: .mappedIfSafe)).last?.value
  }
}
