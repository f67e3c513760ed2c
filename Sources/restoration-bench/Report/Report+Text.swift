extension Report {
  /// The report as a table to read.
  var text: String {
    let shapeRows = [["load", "nodes", "depth", "values", "strings", "payload", "archive"]] + shapes.map { Self.row($0) }
    let figureRows = [["operation", "load", "contender", "median", "minimum", "runs", "", "archive is"]] + figures.map { row($0) }
    return TextTable(rows: shapeRows).text + "\n" + TextTable(rows: figureRows).text
  }

  private static func row(_ shape: LoadShape) -> [String] {
    guard let counts = shape.counts else { return [shape.load.rawValue, "", "", "", "", "", "\(shape.archiveByteCount)"] }
    return [shape.load.rawValue]
      + [counts.nodes, counts.depth, counts.values, counts.strings, counts.payload, shape.archiveByteCount].map { "\($0)" }
  }

  private func row(_ figure: Figure) -> [String] {
    let start = [figure.operation.rawValue, figure.load.rawValue, figure.contender.rawValue]
    switch figure.measure {
    case .time(let timing, let byteCount):
      return start + [
        Number.time(timing.median), Number.time(timing.minimum), "\(timing.runCount)",
        byteCount.map { "\(Number.text(Double($0) / timing.median)) GB/s" } ?? "", comparison(figure, timing),
      ]
    case .bytes(let count):
      let perPayload = (shape(of: figure.load)?.counts?.payload).map { "\(Number.text(Double(count) / Double($0))) x payload" }
      return start + [Number.bytes(count), "", "", perPayload ?? ""]
    case .blocks(let count):
      return start + ["\(count) blocks"]
    case .memory(let operation, let count):
      return start + [Number.bytes(count), "", "", operation.rawValue]
    }
  }

  private func comparison(_ figure: Figure, _ timing: Timing) -> String {
    if figure.contender == .onSmall {
      return costOfByte(figure.operation, figure.load).map { "\(Number.text($0)) x the time for a byte" } ?? ""
    }
    guard figure.contender != .archive, let own = self.timing(figure.operation, figure.load, .archive) else { return "" }
    guard let ratio = timing.quotient(by: own) else { return "" }
    return ratio >= 1 ? "\(Number.text(ratio)) x faster" : "\(Number.text(1 / ratio)) x slower"
  }
}
