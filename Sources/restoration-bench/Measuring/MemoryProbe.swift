import Foundation
import RestorationArchive

/// Measures memory in a process of its own, so that nothing that was there before can be used again.
struct MemoryProbe {
  /// What the memory is needed for.
  let operation: Operation
  let contender: Contender
  let size: WorkloadSize
  /// The encoded form, for what does not encode.
  let file: String

  /// What is measured of a load: that of the peers only where it is a matter of megabytes.
  static func all(_ material: Material) throws -> [MemoryProbe] {
    guard let size = material.load.size else { return [] }
    let file = try material.archiveFile.get().path
    let operations: [Operation] = [.encode, .decode, .firstValue]
    var probes = operations.map { MemoryProbe(operation: $0, contender: .archive, size: size, file: file) }
    if size == .large { return probes }
    for (contender, data) in [(Contender.propertyList, try material.propertyList.get()), (.json, try material.json.get())] {
      let file = material.folder.appendingPathComponent("\(size.rawValue).\(contender.rawValue)")
      try data.write(to: file)
      probes += [Operation.encode, .decode].map { MemoryProbe(operation: $0, contender: contender, size: size, file: file.path) }
    }
    return probes
  }

  // MARK: In the parent

  private static let option = "--memory-probe"

  /// Starts this program again, to measure there.
  func measureInChild() throws -> Int? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.executablePath)
    process.arguments = [Self.option, operation.rawValue, contender.rawValue, size.rawValue, file]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("measuring memory of \(operation.rawValue) failed") }
    return Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  // MARK: In the child

  /// The probe that a parent asks for.
  init?(arguments: [String]) {
    guard arguments.count == 5, arguments[0] == Self.option, let operation = Operation(rawValue: arguments[1]),
      let contender = Contender(rawValue: arguments[2]), let size = WorkloadSize(rawValue: arguments[3])
    else { return nil }
    self.init(operation: operation, contender: contender, size: size, file: arguments[4])
  }

  init(operation: Operation, contender: Contender, size: WorkloadSize, file: String) {
    self.operation = operation
    self.contender = contender
    self.size = size
    self.file = file
  }

  /// Measures here.
  func measure() throws -> Int? {
    // What is loaded or set up once must not count.
    let small = Material(.small, folder: FileManager.default.temporaryDirectory)
    try? perform(on: small.workload, file: nil)
    let workload = operation == .decode ? small.workload : Workload(size)
    return try PeakMemory.growth { try perform(on: workload, file: file) }
  }

  private func perform(on workload: Workload, file: String?) throws {
    switch (operation, contender) {
    case (.encode, .archive): consume(try ArchivePeer.encode(workload))
    case (.encode, .propertyList): consume(try FoundationPeers.propertyListEncoder().encode(workload.roots))
    case (.encode, .json): consume(try JSONEncoder().encode(workload.roots))
    case (.decode, .archive):
      if let file {
        consume(try ArchiveTree(decoding: ArchiveReader(contentsOfFile: file)))
      } else {
        consume(try ArchiveTree(decoding: ArchivePeer.encode(workload)))
      }
    case (.decode, .propertyList):
      let data = try file.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      consume(
        try PropertyListDecoder().decode(
          [BenchNode].self, from: data ?? FoundationPeers.propertyListEncoder().encode(workload.roots)))
    case (.decode, .json):
      let data = try file.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      consume(try JSONDecoder().decode([BenchNode].self, from: data ?? JSONEncoder().encode(workload.roots)))
    default:
      let path = try RestorationPath(components: workload.probe.path)
      let reader = try file.map { try ArchiveReader(contentsOfFile: $0) } ?? ArchiveReader(ArchivePeer.encode(workload))
      consume(try reader.decoder(at: path).decode(String.self, forKey: workload.probe.key))
    }
  }
}

extension CommandLine {
  /// The path of this program.
  static var executablePath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
  }
}
