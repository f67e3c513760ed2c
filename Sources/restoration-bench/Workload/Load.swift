/// What an operation works on: one of the three trees, or the array of 1,000 structs that goes through `Codable`.
enum Load: String, Hashable {
  case small, medium, large, records

  /// The tree, unless it is the array.
  var size: WorkloadSize? { WorkloadSize(rawValue: rawValue) }

  init(_ size: WorkloadSize) {
    switch size {
    case .small: self = .small
    case .medium: self = .medium
    case .large: self = .large
    }
  }
}
