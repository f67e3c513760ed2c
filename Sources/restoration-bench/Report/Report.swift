/// The figures of one run.
struct Report {
  var shapes: [LoadShape] = []
  var figures: [Figure] = []

  func shape(of load: Load) -> LoadShape? {
    shapes.first { $0.load == load }
  }

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
  func costOfByte(_ operation: Operation, _ load: Load, by statistic: Statistic = .median) -> Double? {
    guard let shape = shape(of: load), let payload = shape.counts?.payload, let smallPayload = shape.smallPayload,
      let time = statistic.quotient(timing(operation, load, .archive), by: timing(operation, load, .onSmall))
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
    counts = material.load.size == nil ? nil : material.workload.counts
    archiveByteCount = try (material.load.size == nil ? material.recordsArchive : material.archive).get().count
  }
}
