/// In what a goal is stated.
enum Yardstick {
  /// How many times faster than another contender; more is better.
  case timesFaster(than: Contender)
  /// How many times slower than another contender; less is better.
  case timesSlower(than: Contender)
  /// Microseconds.
  case microseconds
  /// Gigabytes of archive a second; more is better.
  case throughput
  /// Blocks that are read.
  case blocks
  /// Bytes of archive for each byte of payload.
  case sizePerPayload
  /// Bytes of archive for each byte of what another contender makes.
  case sizeRelative(to: Contender)
  /// Bytes of memory for each byte of the archive.
  case memoryPerArchive(Operation)
  /// Bytes of memory for each byte of payload.
  case memoryPerPayload(Operation)
  /// KiB of memory.
  case memory(Operation)
  /// Time for a byte of payload where it is longest, divided by that where it is shortest; each is held against the small workload in the
  /// same rounds.
  case growth

  /// Whether more of it is better.
  var isMoreBetter: Bool {
    switch self {
    case .timesFaster, .throughput: true
    default: false
    }
  }

  /// What follows the number.
  var unit: String {
    switch self {
    case .timesFaster(let contender): "x \(contender.rawValue)"
    case .timesSlower(let contender): "x the time of \(contender.rawValue)"
    case .microseconds: "us"
    case .throughput: "GB/s"
    case .blocks: "blocks"
    case .sizePerPayload: "x payload"
    case .sizeRelative(let contender): "x \(contender.rawValue)"
    case .memoryPerArchive(let operation): "x archive (\(operation.rawValue))"
    case .memoryPerPayload(let operation): "x payload (\(operation.rawValue))"
    case .memory(let operation): "KiB (\(operation.rawValue))"
    case .growth: "x from size to size"
    }
  }

  /// What was measured, by medians or by the fastest runs; nil if it was not.
  func value(_ operation: Operation, _ load: Load, in report: Report, by statistic: Statistic = .median) -> Double? {
    let timing = report.timing(operation, load, .archive)
    let own = timing.map { statistic.time($0) }
    switch self {
    case .timesFaster(let contender):
      return statistic.quotient(report.timing(operation, load, contender), by: timing)
    case .timesSlower(let contender):
      return statistic.quotient(timing, by: report.timing(operation, load, contender))
    case .microseconds: return own.map { $0 / 1000 }
    case .throughput: return quotient((report.shape(of: load)?.archiveByteCount).map { Double($0) }, own)
    case .blocks: return report.blockCount(load).map { Double($0) }
    case .sizePerPayload: return quotient(report.byteCount(load, .archive), report.shape(of: load)?.counts?.payload)
    case .sizeRelative(let contender): return quotient(report.byteCount(load, .archive), report.byteCount(load, contender))
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
