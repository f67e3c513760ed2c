#if !FUZZING
  import CorpusKit
  import PropertyKit
  import Foundation

  /// Replays fuzzer findings, and keeps them as regression tests.
  ///
  ///     restoration-fuzz [--property NAME] FILE...    checks files; exits with 1 if a property is violated
  ///     restoration-fuzz --properties                 lists the properties
  ///     restoration-fuzz --seeds FOLDER               writes every small corpus file there, as a fuzzer seed
  ///     restoration-fuzz --keep FILE NAME             minimizes a crashing input and adds it to Corpus/crashers
  @main
  struct RestorationFuzz {
    static func main() throws {
      var arguments = Array(CommandLine.arguments.dropFirst())
      switch arguments.first {
      case "--properties" where arguments.count == 1: print(FuzzedProperty.names.joined(separator: "\n"))
      case "--seeds" where arguments.count == 2: try writeSeeds(to: arguments[1])
      case "--keep" where arguments.count == 3: try CrasherKeeper(file: arguments[1], name: arguments[2]).keep()
      case "--expect" where arguments.count == 2: print(ExpectedOutcome.text(of: try bytes(of: arguments[1])), terminator: "")
      case nil, "--help":
        print("usage: restoration-fuzz [--property NAME] FILE... | --properties | --seeds FOLDER | --keep FILE NAME")
      default:
        var properties = FuzzedProperty.names.compactMap { FuzzedProperty(name: $0) }
        if arguments.first == "--property", arguments.count > 1 {
          properties = properties.filter { $0.name == arguments[1] }
          arguments.removeFirst(2)
        }
        try replay(arguments, properties)
      }
    }

    static func bytes(of path: String) throws -> [UInt8] {
      try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

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

    private static func writeSeeds(to folder: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in try Corpus.files() where file.bytes.count <= 32_768 {
        let name = file.path.replacingOccurrences(of: "/", with: "-")
        try Data(file.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
      for file in try EngineCorpusFile.files() {
        let name = file.path.replacingOccurrences(of: "/", with: "-")
        try Data(file.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
      for file in try AppleCorpusFile.files() where file.bytes.count <= 32_768 {
        let name = file.path.replacingOccurrences(of: "/", with: "-")
        try Data(file.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
      for folderName in ["json/valid", "json/invalid"] {
        for file in try JSONCorpusFile.files(in: folderName) {
          let name = file.path.replacingOccurrences(of: "/", with: "-")
          try Data(file.text).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
        }
      }
    }
  }
#endif
