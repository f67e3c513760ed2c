#if !FUZZING
  import CorpusKit
  import PropertyKit
  import Foundation

  /// Turns an input that violates a property into a regression test: a minimal input, and its expected outcome.
  struct CrasherKeeper {
    /// The maximum number of candidate inputs.
    private static let maximumTries = 2000

    private let bytes: [UInt8]
    private let name: String

    init(file: String, name: String) throws {
      bytes = try RestorationFuzz.bytes(of: file)
      self.name = name
    }

    func keep() throws {
      let isFailing = try fails(bytes)
      let smallest = isFailing ? try minimised() : bytes
      print(isFailing ? "from \(bytes.count) to \(smallest.count) bytes" : "no property fails any more; kept as it is")
      let path = "crashers/\(name)"
      try Corpus.write(Array(HexNotation.text(of: smallest).utf8), to: path + ".hex")
      let (output, status) = try run(["--expect"], smallest)
      // If the real checker fails, the slow one supplies the expected outcome.
      let expectation = status == 0 ? output : ExpectedOutcome.text(ofSlowly: smallest)
      try Corpus.write(Array(expectation.utf8), to: path + ".expect")
      try Corpus.writeManifest()
      print("wrote Corpus/\(path).hex and .expect; compare the expectation with the Spec, and say in its reason what went wrong")
    }

    // MARK: Minimising

    /// Removes ever shorter runs of bytes while the input still fails.
    ///
    /// Checksums are recomputed if that helps.
    private func minimised() throws -> [UInt8] {
      var smallest = bytes
      var tries = 0
      var length = smallest.count / 2
      while length > 0, tries < Self.maximumTries {
        var start = 0
        while start < smallest.count, tries < Self.maximumTries {
          var candidate = smallest
          candidate.removeSubrange(start..<min(start + length, smallest.count))
          tries += 1
          let mended = ArchiveMutator.mended(candidate)
          if try fails(candidate) {
            smallest = candidate
          } else if mended != candidate, mended.count < smallest.count, try fails(mended) {
            smallest = mended
          } else {
            start += length
          }
        }
        length /= 2
      }
      return smallest
    }

    /// Whether a property fails on an input.
    ///
    /// Runs in a separate process, since a property may trap.
    private func fails(_ bytes: [UInt8]) throws -> Bool { try run([], bytes).status != 0 }

    private func run(_ arguments: [String], _ bytes: [UInt8]) throws -> (output: String, status: Int32) {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-\(UUID().uuidString)")
      try Data(bytes).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = arguments + [file.path]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
  }
#endif
