/// How fast the machine was during a run, by how long JSON took to encode the same model.
///
/// A quotient of two times in one run does not depend on the machine; a goal in microseconds does, and on what else the machine does at that
/// hour. This says how a figure in units is to be read, and changes no goal.
struct Pace {
  let load: Load
  /// Nanoseconds, the median.
  let time: Double
  /// Nanoseconds on the machine where the goals in units were set.
  let reference: Double

  /// The pace of a run in which JSON encoded a model; nil if it did not.
  init?(_ load: Load, in report: Report) {
    guard let reference = Self.reference(load), let timing = report.timing(.encode, load, .json) else { return nil }
    self.load = load
    self.reference = reference
    time = timing.median
  }

  private static func reference(_ load: Load) -> Double? {
    switch load {
    case .small: 1.8e6
    case .medium: 184e6
    case .large: 14.4e9
    case .records: nil
    }
  }

  /// A sentence for people.
  var text: String {
    "pace: json took \(Number.text(time / reference)) x as long to encode \(load.rawValue) as on the machine where goals in us and GB/s were set"
  }
}
