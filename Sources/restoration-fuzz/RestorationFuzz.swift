#if !FUZZING
  import CorpusKit
  import EngineKit
  import KeyedArchiveKit
  import PropertyKit
  import Foundation

  /// Replays fuzzer findings, and keeps them as regression tests.
  ///
  ///     restoration-fuzz [--property NAME] FILE...    checks files; exits with 1 if a property is violated
  ///     restoration-fuzz --properties                 lists the properties
  ///     restoration-fuzz --length NAME                prints the length of the longest input worth fuzzing
  ///     restoration-fuzz --seeds FOLDER NAME          writes the small corpus files for a property there, as seeds
  ///     restoration-fuzz --keep FILE NAME             minimizes a crashing input and adds it to Corpus/crashers
  @main
  struct RestorationFuzz {
    static func main() throws {
      var arguments = Array(CommandLine.arguments.dropFirst())
      switch arguments.first {
      case "--properties" where arguments.count == 1: print(FuzzedProperty.names.joined(separator: "\n"))
      case "--length" where arguments.count == 2: print(FuzzedProperty(name: arguments[1])?.maximumBytes ?? 0)
      case "--seeds" where arguments.count == 3: try writeSeeds(of: arguments[2], to: arguments[1])
      case "--keep" where arguments.count == 3: try CrasherKeeper(file: arguments[1], name: arguments[2]).keep()
      case "--expect" where arguments.count == 2: print(ExpectedOutcome.text(of: try bytes(of: arguments[1])), terminator: "")
      case nil, "--help":
        print("usage: restoration-fuzz [--property NAME] FILE... | --properties | --length NAME | --seeds FOLDER NAME | --keep FILE NAME")
      default:
        var properties = FuzzedProperty.names.compactMap { FuzzedProperty(name: $0) }
        if arguments.first == "--property", arguments.count > 1 {
          properties = properties.filter { $0.name == arguments[1] }
          arguments.removeFirst(2)
        }
        try replay(arguments, properties)
      }
    }

    static func bytes(of path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }

    private static func replay(_ files: [String], _ properties: [FuzzedProperty]) throws {
      var isClean = true
      for file in files {
        for property in properties {
          do {
            try property.check(bytes(of: file))
          } catch {
            print("\(file): \(property.name): \(error)")
            isClean = false
          }
        }
      }
      if !isClean { exit(1) }
    }

    /// Writes the small files of the corpus that concern a property.
    private static func writeSeeds(of name: String, to folder: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      func write(_ bytes: [UInt8], _ path: String) throws {
        let name = path.replacingOccurrences(of: "/", with: "-")
        try Data(bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
      switch FuzzedProperty(name: name) {
      case .keyedArchive(let property): for seed in property.seeds { try write(seed.bytes, seed.name) }
      case .engine: for file in try EngineCorpusFile.files() { try write(file.bytes, file.path) }
      case .archive:
        for file in try Corpus.files() where file.bytes.count <= 32_768 { try write(file.bytes, file.path) }
        for folderName in ["json/valid", "json/invalid"] {
          for file in try JSONCorpusFile.files(in: folderName) { try write([UInt8](file.text), file.path) }
        }
      case nil:
        print("\(name) is none of \(FuzzedProperty.names.joined(separator: ", "))")
        exit(64)
      }
    }
  }

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
