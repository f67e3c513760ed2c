import Foundation

/// One run of the benchmark: measures the chosen operations and compares them with the goals.
struct Session {
  let operations: [Operation]
  let sizes: [Load]
  /// Whether a missed floor is measured again.
  var checks = false
  private let progress = Progress()

  func measure() throws -> (Report, GoalCheck) {
    defer { progress.show("") }
    return try TemporaryFolder.with { folder in
      var report = Report()
      var check = GoalCheck()
      for load in sizes + [.records] {
        let operations = operations.filter { $0.loads(sizes).contains(load) }
        if operations.isEmpty { continue }
        progress.show("\(load.rawValue): building the workload")
        let material = Material(load, folder: folder)
        report.shapes.append(try LoadShape(material))
        for operation in operations { report.figures += try figures(of: operation, material) }
        check.add(report, load)
        if checks { try measureAgain(material, report, &check) }
      }
      return (report, check)
    }
  }

  /// Measures the operations with missed floors again, one at a time.
  private func measureAgain(_ material: Material, _ report: Report, _ check: inout GoalCheck) throws {
    for _ in 1..<GoalCheck.maximumAttempts {
      for operation in check.operationsToMeasureAgain(on: material.load) {
        progress.show("\(material.load.rawValue): \(operation.rawValue) again")
        var again = report
        again.figures.removeAll { $0.operation == operation && $0.load == material.load }
        again.figures += try figures(of: operation, material)
        check.addAttempt(again, operation, material.load)
      }
    }
  }

  private func figures(of operation: Operation, _ material: Material) throws -> [Figure] {
    let load = material.load
    let label = "\(load.rawValue): \(operation.rawValue)"
    progress.show("\(label): comparing results")
    try material.verify(operation)
    func figure(_ measure: Figure.Measure, of contender: Contender = .archive) -> Figure {
      Figure(operation: operation, load: load, contender: contender, measure: measure)
    }
    let stopwatch = Stopwatch(load, progress: progress)
    let trials = try operation.trials(material)
    var figures = try zip(trials, stopwatch.time(trials, label: label)).map { trial, timing in
      figure(.time(timing, byteCount: trial.byteCount), of: trial.contender)
    }
    if let journey = try operation.journey(material) {
      figures += try stopwatch.time(journey, label: label).map { figure(.phase($0, $1)) }
      if let count = try journey.writtenBytes() { figures.append(figure(.bytes(count))) }
    }
    switch operation {
    case .firstValue: figures.append(figure(.blocks(try BlockCount.ofFirstValue(material))))
    case .saveEdits:
      figures += try [(Contender.archive, 64), (.whole, 0)].compactMap { contender, links in
        progress.show("\(label): \(contender.rawValue)")
        return try EditedApp(material, in: material.newFolder("edited"), links: links).bytesOfEdits(1000).map {
          figure(.bytes($0), of: contender)
        }
      }
    case .size: figures += try sizes(of: material)
    case .memory: figures += try memory(of: material)
    default: break
    }
    return figures
  }

  private func sizes(of material: Material) throws -> [Figure] {
    let isTree = material.load != .records
    let sizes: [(Contender, Int)] = [
      (.archive, try (isTree ? material.archive : material.recordsArchive).get().count),
      (.propertyList, try (isTree ? material.propertyList : material.recordsPropertyList).get().count),
      (.json, try (isTree ? material.json : material.recordsJSON).get().count),
    ]
    return sizes.map { Figure(operation: .size, load: material.load, contender: $0.0, measure: .bytes($0.1)) }
  }

  private func memory(of material: Material) throws -> [Figure] {
    try MemoryProbe.all(material).compactMap { probe in
      progress.show("\(material.load.rawValue): memory \(probe.operation.rawValue)")
      return try probe.measureInChild().map {
        Figure(operation: .memory, load: material.load, contender: .archive, measure: .memory(of: probe.operation, $0))
      }
    }
  }
}

/// A folder for the files of one run.
enum TemporaryFolder {
  static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}

/// Repeats one operation of one contender for a profiler, or all of a launch or a save.
///
/// A profiler can be told to count only ``repeatMeasured(_:_:)``:
/// `valgrind --tool=callgrind --toggle-collect='*repeatMeasured*'`.
struct Profile {
  let operation: Operation
  let contender: Contender
  let size: Load
  let repetitions: Int?

  func run() throws {
    try TemporaryFolder.with { folder in
      guard let load = operation.loads([size]).first, let run = try run(Material(load, folder: folder)) else {
        throw UsageError("\(operation.rawValue) has nothing for \(contender.rawValue) to repeat on \(size.rawValue)")
      }
      // One-time work on first use must not be counted.
      try run()
      try Self.repeatMeasured(run, repetitions ?? 100)
    }
  }

  private func run(_ material: Material) throws -> (() throws -> Void)? {
    if let trial = try operation.trials(material).first(where: { $0.contender == contender }) { return trial.run }
    guard contender == .archive, let journey = try operation.journey(material) else { return nil }
    return { _ = try journey.run() }
  }

  @inline(never)
  private static func repeatMeasured(_ run: () throws -> Void, _ count: Int) throws {
    for _ in 0..<count { try run() }
  }
}
