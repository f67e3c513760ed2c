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
      // BSD's `EX_USAGE`.
      fail("\(error)\nTry --help.", 64)
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
    print(report.text + (options.checks ? "\n" + check.text : ""), terminator: "")
    return options.checks && !check.isPassed ? 1 : 0
  }

  private static func fail(_ message: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data("restoration-bench: \(message)\n".utf8))
    exit(code)
  }
}

/// The command line options.
struct BenchOptions {
  var operations: [Operation] = Operation.allCases
  /// The workload sizes; nil if none is given.
  var sizes: [Load]?
  /// Whether the figures are compared with the goals.
  var checks = false
  /// Whether to measure only the README's table.
  var printsHeadline = false
  var asksForHelp = false
  /// The operation to repeat for a profiler, with its contender and the number of repetitions.
  var profiled: Operation?
  var contender = Contender.archive
  var repetitions: Int?

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
      let attached: String? = parts.count > 1 ? parts[1] : nil
      let name = parts.first ?? ""
      switch name {
      case "--check", "--headline", "--help":
        guard attached == nil else { throw UsageError("\(name) takes no value") }
        if name == "--check" { checks = true } else if name == "--headline" { printsHeadline = true } else { asksForHelp = true }
      case "--only", "--size", "--profile", "--contender", "--repeat":
        guard let value = attached ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
        try set(name, to: value)
      default:
        throw UsageError("unknown \(argument.hasPrefix("-") ? "option" : "argument") \"\(argument)\"")
      }
    }
  }

  private mutating func set(_ name: String, to value: String) throws(UsageError) {
    switch name {
    case "--only": operations = try Self.list(value) { Operation(rawValue: $0) }
    case "--size": sizes = try Self.list(value) { name in Load.trees.first { $0.rawValue == name } }
    case "--profile": profiled = try Self.choice(value) { Operation(rawValue: $0) }
    case "--contender": contender = try Self.choice(value) { Contender(rawValue: $0) }
    default: repetitions = try Self.choice(value) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    }
  }

  private static func list<Choice>(_ text: String, _ choice: (String) -> Choice?) throws(UsageError) -> [Choice] {
    var choices: [Choice] = []
    for part in text.split(separator: ",") { choices.append(try Self.choice(String(part), choice)) }
    guard !choices.isEmpty else { throw UsageError("nothing is named") }
    return choices
  }

  private static func choice<Choice>(_ text: String, _ choice: (String) -> Choice?) throws(UsageError) -> Choice {
    guard let choice = choice(text) else { throw UsageError("\"\(text)\" is none of the choices") }
    return choice
  }

  /// The text of `--help`.
  static var help: String {
    """
    restoration-bench [--only OPERATION,...] [--size SIZE,...] [--check]
    restoration-bench --headline [--size SIZE]
    restoration-bench --profile OPERATION [--contender NAME] [--size SIZE] [--repeat COUNT]

    Times this package against the coders that come with Foundation. Contenders take turns in one process; compare
    ratios of one run, not times of several.

    --only OPERATION,...  measures only these operations
    --size SIZE,...       on these workloads: small, medium (both by default), large (takes many minutes)
    --check               also compares the figures with the goals; measures a missed floor again, by itself, up to
                          twice, and exits 1 if it is missed each time
    --headline            prints the table of the README; the file of its last line is large unless --size is given
    --profile OPERATION   only repeats the operation, for callgrind, perf or strace
    --contender NAME      the contender to repeat; this package by default
    --repeat COUNT        the number of repetitions

    operations

    """ + TextTable(rows: Operation.allCases.map { ["", $0.rawValue, $0.summary] }).text
  }
}

/// An error in the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
