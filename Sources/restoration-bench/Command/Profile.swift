import Foundation

/// Repeats one operation of one contender, for a profiler to look at.
///
/// A profiler counts only what lies in ``repeatMeasured(_:_:)`` if it is told to:
/// `valgrind --tool=callgrind --toggle-collect='*repeatMeasured*'`.
struct Profile {
  let operation: Operation
  let contender: Contender
  let size: WorkloadSize
  let repetitions: Int?

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    guard let load = operation.loads([size]).first,
      let trial = try operation.trials(Material(load, folder: folder)).first(where: { $0.contender == contender })
    else { throw UsageError("\(operation.rawValue) has nothing for \(contender.rawValue) to repeat on \(size.rawValue)") }
    // What is set up once is no part of it.
    try trial.run()
    try Self.repeatMeasured(trial, repetitions ?? 100)
  }

  @inline(never)
  private static func repeatMeasured(_ trial: Trial, _ count: Int) throws {
    for _ in 0..<count { try trial.run() }
  }
}
