import Foundation

/// `restoration-bench`: ``BenchOptions/help`` describes it.
@main
enum RestorationBench {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let probe = MemoryProbe(arguments: arguments) {
        print(try probe.measure().map { "\($0)" } ?? "")
        return
      }
      exit(try run(try BenchOptions(arguments)))
    } catch let error as UsageError {
      fail("\(error)\nTry --help.", UsageError.exitCode)
    } catch {
      fail("\(error)", 74)
    }
  }

  private static func run(_ options: BenchOptions) throws -> Int32 {
    if options.asksForHelp {
      print(BenchOptions.help, terminator: "")
      return 0
    }
    if let operation = options.profiled {
      let profile = Profile(
        operation: operation, contender: options.contender, size: options.sizes?.first ?? .small, repetitions: options.repetitions)
      try profile.run()
      return 0
    }
    if options.printsHeadline {
      print(try Headline(size: options.sizes?.first ?? .large).measure(), terminator: "")
      return 0
    }
    let session = Session(operations: options.operations, sizes: options.sizes ?? [.small, .medium], checks: options.checks)
    let (report, check) = try session.measure()
    switch options.format {
    case .json: print(try report.json(check), terminator: "")
    case .text: print(report.text + (options.checks ? "\n" + check.text : ""), terminator: "")
    }
    return options.checks && !check.isPassed ? 1 : 0
  }

  private static func fail(_ message: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data("restoration-bench: \(message)\n".utf8))
    exit(code)
  }
}
