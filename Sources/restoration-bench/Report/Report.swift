import Foundation

/// The figures of one run.
struct Report {
  var shapes: [LoadShape] = []
  var figures: [Figure] = []

  func shape(of load: Load) -> LoadShape? { shapes.first { $0.load == load } }

  func timing(_ operation: Operation, _ load: Load, _ contender: Contender) -> Timing? {
    first(operation, load, contender) { if case .time(let timing, _) = $0 { timing } else { nil } }
  }

  func timing(_ operation: Operation, _ load: Load, _ phase: Phase) -> Timing? {
    first(operation, load, .archive) { if case .phase(phase, let timing) = $0 { timing } else { nil } }
  }

  /// Returns the length of an encoded form, or the number of bytes written by a save.
  func byteCount(_ operation: Operation, _ load: Load, _ contender: Contender = .archive) -> Int? {
    first(operation, load, contender) { if case .bytes(let count) = $0 { count } else { nil } }
  }

  func blockCount(_ load: Load) -> Int? {
    first(.firstValue, load, .archive) { if case .blocks(let count) = $0 { count } else { nil } }
  }

  func memory(_ operation: Operation, _ load: Load) -> Int? {
    first(.memory, load, .archive) { if case .memory(operation, let count) = $0 { count } else { nil } }
  }

  /// Returns the time per byte of payload, relative to the small workload in the same rounds.
  func costOfByte(_ operation: Operation, _ load: Load) -> Double? {
    guard let shape = shape(of: load), let payload = shape.counts?.payload, let smallPayload = shape.smallPayload,
      let time = timing(operation, load, .archive)?.quotient(by: timing(operation, load, .onSmall))
    else { return nil }
    return time * Double(smallPayload) / Double(payload)
  }

  private func first<Value>(
    _ operation: Operation, _ load: Load, _ contender: Contender, _ value: (Figure.Measure) -> Value?
  ) -> Value? {
    for figure in figures where figure.operation == operation && figure.load == load && figure.contender == contender {
      if let value = value(figure.measure) { return value }
    }
    return nil
  }
}

/// One measured figure.
struct Figure {
  enum Measure {
    /// The duration, and the number of bytes produced or read.
    case time(Timing, byteCount: Int?)
    /// The duration of a phase of a launch or a save.
    case phase(Phase, Timing)
    /// The length of the encoded form, or the number of bytes written by a save.
    case bytes(Int)
    /// The number of blocks read.
    case blocks(Int)
    /// The growth of resident memory at the peak of an operation.
    case memory(of: Operation, Int)
  }

  let operation: Operation
  let load: Load
  let contender: Contender
  let measure: Measure
}

/// The shape of a load.
struct LoadShape {
  let load: Load
  /// The length of the archive.
  let archiveByteCount: Int
  /// The counts of the tree; nil for the load without a tree.
  let counts: WorkloadCounts?
  /// The payload of the small workload, if it is the baseline for this load.
  let smallPayload: Int?

  init(_ material: Material) throws {
    load = material.load
    smallPayload = material.small?.workload.counts.payload
    counts = material.load == .records ? nil : material.workload.counts
    archiveByteCount = try (material.load == .records ? material.recordsArchive : material.archive).get().count
  }
}

extension Report {
  /// The report as a text table.
  var text: String {
    let shapeRows = [["load", "nodes", "depth", "values", "strings", "payload", "archive"]] + shapes.map { Self.row($0) }
    let figureRows = [["operation", "load", "contender", "median", "minimum", "runs", "", "this package is"]] + figures.map { row($0) }
    return TextTable(rows: shapeRows).text + "\n" + TextTable(rows: figureRows).text
  }

  private static func row(_ shape: LoadShape) -> [String] {
    guard let counts = shape.counts else { return [shape.load.rawValue, "", "", "", "", "", "\(shape.archiveByteCount)"] }
    return [shape.load.rawValue]
      + [counts.nodes, counts.depth, counts.values, counts.strings, counts.payload, shape.archiveByteCount].map { "\($0)" }
  }

  private func row(_ figure: Figure) -> [String] {
    let start = [figure.operation.rawValue, figure.load.rawValue]
    let named = start + [figure.contender.rawValue]
    switch figure.measure {
    case .time(let timing, let byteCount):
      let throughput = byteCount.map { "\(Number.text(Double($0) / timing.median)) GB/s" } ?? ""
      return named + Self.cells(timing) + [throughput, comparison(figure, timing)]
    case .phase(let phase, let timing):
      return start + [phase.rawValue] + Self.cells(timing) + ["elapsed", comparison(figure, phase)]
    case .bytes(let count):
      if figure.operation.isSaveOfOneChange { return start + ["bytes written", Number.bytes(count)] }
      let perPayload = (shape(of: figure.load)?.counts?.payload).map { "\(Number.text(Double(count) / Double($0))) x payload" }
      return named + [Number.bytes(count), "", "", perPayload ?? ""]
    case .blocks(let count):
      return named + ["\(count) blocks"]
    case .memory(let operation, let count):
      return named + [Number.bytes(count), "", "", operation.rawValue]
    }
  }

  private static func cells(_ timing: Timing) -> [String] {
    [Number.time(timing.median), Number.time(timing.minimum), "\(timing.runCount)"]
  }

  private func comparison(_ figure: Figure, _ phase: Phase) -> String {
    guard phase == .restore,
      let ratio = Yardstick.phaseRatio(.restore, to: .engine).value(figure.operation, figure.load, in: self)
    else { return "" }
    return "\(Number.text(ratio)) x the engine alone"
  }

  private func comparison(_ figure: Figure, _ timing: Timing) -> String {
    if figure.contender == .onSmall {
      return costOfByte(figure.operation, figure.load).map { "\(Number.text($0)) x the time per byte" } ?? ""
    }
    guard figure.contender != .archive, let own = self.timing(figure.operation, figure.load, .archive),
      let ratio = timing.quotient(by: own)
    else { return "" }
    return ratio >= 1 ? "\(Number.text(ratio)) x faster" : "\(Number.text(1 / ratio)) x slower"
  }
}

/// A text table with aligned columns.
struct TextTable {
  let rows: [[String]]

  /// The rows, one per line.
  var text: String {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.lazy.filter { column < $0.count }.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      var line = row.enumerated().map { $0.element + String(repeating: " ", count: widths[$0.offset] - $0.element.count) }
        .joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

/// Formats numbers for reports.
enum Number {
  /// Formats with three or four significant digits.
  static func text(_ value: Double) -> String {
    let digits = value < 10 ? 2 : (value < 1000 ? 1 : 0)
    let text = String(format: "%.\(digits)f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Formats with three significant digits, and commas between thousands.
  static func rounded(_ value: Double) -> String {
    value.formatted(.number.precision(.significantDigits(3)).locale(Locale(identifier: "en_US")))
  }

  /// Formats with commas between thousands.
  static func grouped(_ value: Int) -> String { value.formatted(.number.locale(Locale(identifier: "en_US"))) }

  /// Formats a part as a percentage, rounded up; as a factor if it is ten or more.
  static func percent(_ part: Double) -> String {
    part < 10 ? String(format: "%.0f %%", (part * 100).rounded(.up)) : "a factor of \(rounded(part + 1))"
  }

  /// Formats a time in a suitable unit.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: String(format: "%.0f ns", nanoseconds)
    case ..<1e6: String(format: "%.1f us", nanoseconds / 1e3)
    case ..<1e9: String(format: "%.2f ms", nanoseconds / 1e6)
    default: String(format: "%.2f s", nanoseconds / 1e9)
    }
  }

  /// Formats a number of bytes in a suitable unit.
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(count) B"
    case ..<10_000_000: String(format: "%.1f KB", Double(count) / 1e3)
    default: String(format: "%.1f MB", Double(count) / 1e6)
    }
  }
}
