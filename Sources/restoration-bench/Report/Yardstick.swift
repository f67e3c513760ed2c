/// The unit of a performance goal.
enum Yardstick {
  /// Times faster than another contender; more is better.
  case timesFaster(than: Contender)
  /// Times slower than another contender; less is better.
  case timesSlower(than: Contender)
  case microseconds
  /// Microseconds of a phase of a launch or a save.
  case phase(Phase)
  /// The time of one phase of a launch relative to another.
  case phaseRatio(Phase, to: Phase)
  /// Gigabytes of archive per second; more is better.
  case throughput
  /// The number of blocks read.
  case blocks
  /// The kilobytes written by a save.
  case written
  /// Bytes of archive per byte of payload.
  case sizePerPayload
  /// Bytes of archive per byte of another contender's encoded form.
  case sizeRelative(to: Contender)
  /// Bytes of memory per byte of archive.
  case memoryPerArchive(Operation)
  /// Bytes of memory per byte of payload.
  case memoryPerPayload(Operation)
  /// KiB of memory.
  case memory(Operation)
  /// The time per byte of payload on the slowest size, divided by that on the fastest, among the sizes measured so far.
  case growth

  /// Whether a larger value is better.
  var isMoreBetter: Bool {
    switch self {
    case .timesFaster, .throughput: true
    default: false
    }
  }

  /// Whether repeated measurements can give different values.
  var isNoisy: Bool {
    switch self {
    case .blocks, .written, .sizePerPayload, .sizeRelative: false
    default: true
    }
  }

  /// The text that follows the number.
  var unit: String {
    switch self {
    case .timesFaster(let contender): "x \(contender.rawValue)"
    case .timesSlower(let contender): "x the time of \(contender.rawValue)"
    case .microseconds: "us"
    case .phase(let phase): "us \(phase.rawValue)"
    case .phaseRatio(let phase, let other): "x \(phase.rawValue), to \(other.rawValue)"
    case .throughput: "GB/s"
    case .blocks: "blocks"
    case .written: "KB written"
    case .sizePerPayload: "x payload"
    case .sizeRelative(let contender): "x \(contender.rawValue)"
    case .memoryPerArchive(let operation): "x archive (\(operation.rawValue))"
    case .memoryPerPayload(let operation): "x payload (\(operation.rawValue))"
    case .memory(let operation): "KiB (\(operation.rawValue))"
    case .growth: "x growth"
    }
  }

  /// Returns the measured value from medians or fastest runs; nil if it was not measured.
  func value(_ operation: Operation, _ load: Load, in report: Report, by statistic: Statistic = .median) -> Double? {
    let timing = report.timing(operation, load, .archive)
    let own = timing.map { statistic.time($0) }
    switch self {
    case .timesFaster(let contender):
      return statistic.quotient(report.timing(operation, load, contender), by: timing)
    case .timesSlower(let contender):
      return statistic.quotient(timing, by: report.timing(operation, load, contender))
    case .microseconds: return own.map { $0 / 1000 }
    case .phase(let phase): return report.timing(operation, load, phase).map { statistic.time($0) / 1000 }
    case .phaseRatio(let phase, let other):
      return statistic.quotient(report.timing(operation, load, phase), by: report.timing(operation, load, other))
    case .throughput: return quotient((report.shape(of: load)?.archiveByteCount).map { Double($0) }, own)
    case .blocks: return report.blockCount(load).map { Double($0) }
    case .written: return report.byteCount(operation, load).map { Double($0) / 1000 }
    case .sizePerPayload: return quotient(report.byteCount(operation, load), report.shape(of: load)?.counts?.payload)
    case .sizeRelative(let contender):
      return quotient(report.byteCount(operation, load), report.byteCount(operation, load, contender))
    case .memoryPerArchive(let phase): return quotient(report.memory(phase, load), report.shape(of: load)?.archiveByteCount)
    case .memoryPerPayload(let phase): return quotient(report.memory(phase, load), report.shape(of: load)?.counts?.payload)
    case .memory(let phase): return report.memory(phase, load).map { Double($0) / 1024 }
    case .growth: return growth(of: operation, in: report, by: statistic)
    }
  }

  private func growth(of operation: Operation, in report: Report, by statistic: Statistic) -> Double? {
    let costs = report.shapes.compactMap { report.costOfByte(operation, $0.load, by: statistic) } + [1]
    guard costs.count > 1, let least = costs.min(), let most = costs.max() else { return nil }
    return most / least
  }

  private func quotient(_ left: Double?, _ right: Double?) -> Double? {
    guard let left, let right, right > 0 else { return nil }
    return left / right
  }

  private func quotient(_ left: Int?, _ right: Int?) -> Double? {
    quotient(left.map { Double($0) }, right.map { Double($0) })
  }
}
