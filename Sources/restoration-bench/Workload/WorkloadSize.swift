/// The three workloads.
enum WorkloadSize: String, CaseIterable {
  case small, medium, large

  /// The number of nodes.
  var nodeCount: Int {
    switch self {
    case .small: 40
    case .medium: 3000
    case .large: 200_000
    }
  }

  /// How many levels there are.
  var depth: Int {
    switch self {
    case .small: 4
    case .medium: 9
    case .large: 15
    }
  }

  /// One node in so many has a blob; nil for none.
  var blobOdds: Int? {
    switch self {
    case .small: nil
    case .medium: 110
    case .large: 150
    }
  }

  /// What the tree is made from: chosen so that the small tree has 615 values, 845 strings and 17.5 KB of payload.
  var seed: UInt64 {
    switch self {
    case .small: 0x5EED_326B
    case .medium: 0x5EED_0013
    case .large: 0x5EED_3D40
    }
  }
}
