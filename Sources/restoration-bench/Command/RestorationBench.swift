import Foundation

/// `restoration-bench`: ``Help`` says what it does.
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
      print(Help.text, terminator: "")
      return 0
    }
    if let operation = options.profiled {
      try Profile(operation: operation, contender: options.contender, size: options.sizes[0], repetitions: options.repetitions).run()
      return 0
    }
    let report = try Session(operations: options.operations, sizes: options.sizes).measure()
    let check = GoalCheck(report)
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
