/// All that was measured in one run.
struct Report {
  var shapes: [LoadShape] = []
  var figures: [Figure] = []

  func shape(of load: Load) -> LoadShape? {
    shapes.first { $0.load == load }
  }

  func timing(_ operation: Operation, _ load: Load, _ contender: Contender) -> Timing? {
    for figure in figures where figure.operation == operation && figure.load == load && figure.contender == contender {
      if case .time(let timing, _) = figure.measure { return timing }
    }
    return nil
  }

  /// How many times as long a byte of payload takes as one of the small workload took in the same rounds.
  func costOfByte(_ operation: Operation, _ load: Load, by statistic: Statistic = .median) -> Double? {
    guard let shape = shape(of: load), let payload = shape.counts?.payload, let smallPayload = shape.smallPayload,
      let time = statistic.quotient(timing(operation, load, .archive), by: timing(operation, load, .onSmall))
    else { return nil }
    return time * Double(smallPayload) / Double(payload)
  }

  func byteCount(_ load: Load, _ contender: Contender) -> Int? {
    for figure in figures where figure.load == load && figure.contender == contender {
      if case .bytes(let count) = figure.measure { return count }
    }
    return nil
  }

  func blockCount(_ load: Load) -> Int? {
    for figure in figures where figure.load == load {
      if case .blocks(let count) = figure.measure { return count }
    }
    return nil
  }

  func memory(_ operation: Operation, _ load: Load) -> Int? {
    for figure in figures where figure.load == load && figure.contender == .archive {
      if case .memory(let measured, let count) = figure.measure, measured == operation { return count }
    }
    return nil
  }
}
