import Foundation

/// One run of the benchmark: measures what was asked for and collects the figures.
struct Session {
  let operations: [Operation]
  let sizes: [WorkloadSize]
  private let progress = Progress()

  init(operations: [Operation], sizes: [WorkloadSize]) {
    self.operations = operations
    self.sizes = sizes
  }

  func measure() throws -> Report {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var report = Report()
    for load in sizes.map({ Load($0) }) + [.records] {
      let operations = operations.filter { $0.loads(sizes).contains(load) }
      if operations.isEmpty { continue }
      progress.show("\(load.rawValue): making the workload")
      let material = Material(load, folder: folder)
      report.shapes.append(try LoadShape(material))
      for operation in operations { try measure(operation, material, into: &report) }
    }
    progress.clear()
    return report
  }

  private func measure(_ operation: Operation, _ material: Material, into report: inout Report) throws {
    let trials = try operation.trials(material)
    let timings = try Stopwatch(material.load).time(trials, progress: progress, label: "\(material.load.rawValue): \(operation.rawValue)")
    for (trial, timing) in zip(trials, timings) {
      report.figures.append(
        Figure(operation: operation, load: material.load, contender: trial.contender, measure: .time(timing, byteCount: trial.byteCount)))
    }
    switch operation {
    case .firstValue:
      report.figures.append(
        Figure(operation: operation, load: material.load, contender: .archive, measure: .blocks(try BlockCount.ofFirstValue(material))))
    case .size:
      report.figures += try sizes(of: material)
    case .memory:
      report.figures += try memory(of: material)
    default:
      break
    }
  }

  private func sizes(of material: Material) throws -> [Figure] {
    var sizes = [(Contender.archive, try material.archive.get().count)]
    progress.show("\(material.load.rawValue): size property-list")
    sizes.append((.propertyList, try material.propertyList.get().count))
    progress.show("\(material.load.rawValue): size json")
    sizes.append((.json, try material.json.get().count))
    if material.load == .small { sizes.append((.keyedArchiver, try material.keyedArchives.get().reduce(0) { $0 + $1.count })) }
    return sizes.map { Figure(operation: .size, load: material.load, contender: $0.0, measure: .bytes($0.1)) }
  }

  private func memory(of material: Material) throws -> [Figure] {
    try MemoryProbe.all(material).compactMap { probe in
      progress.show("\(material.load.rawValue): memory \(probe.operation.rawValue) \(probe.contender.rawValue)")
      return try probe.measureInChild().map {
        Figure(operation: .memory, load: material.load, contender: probe.contender, measure: .memory(of: probe.operation, $0))
      }
    }
  }
}
