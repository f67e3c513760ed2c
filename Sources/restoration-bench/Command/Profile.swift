import Foundation

/// Repeats one operation of one contender for a profiler.
///
/// A profiler can be told to count only ``repeatMeasured(_:_:)``:
/// `valgrind --tool=callgrind --toggle-collect='*repeatMeasured*'`.
struct Profile {
  let operation: Operation
  let contender: Contender
  let size: WorkloadSize
  let repetitions: Int?

  func run() throws {
    try TemporaryFolder.with { folder in
      guard let load = operation.loads([size]).first,
        let trial = try operation.trials(Material(load, folder: folder)).first(where: { $0.contender == contender })
      else { throw UsageError("\(operation.rawValue) has nothing for \(contender.rawValue) to repeat on \(size.rawValue)") }
      // One-time work on first use must not be counted.
      try trial.run()
      try Self.repeatMeasured(trial, repetitions ?? 100)
    }
  }

  @inline(never)
  private static func repeatMeasured(_ trial: Trial, _ count: Int) throws {
    for _ in 0..<count { try trial.run() }
  }
}
