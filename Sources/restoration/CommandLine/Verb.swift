import ArchiveFormat
import Dispatch
import FoundationValues
import RestorationArchive
import RestorationInspection
import Terminal

/// A subcommand of the tool.
protocol Verb: Sendable {
  static var name: String { get }
  static var summary: String { get }
  /// The operands, as shown in the help: optional ones in brackets, and three dots after one that may be repeated.
  static var operands: String { get }
  /// The allowed number of operands, by default that of ``operands``.
  static var operandCount: ClosedRange<Int> { get }
  /// The verb's own options; ``allOptions`` adds those that depend on the other properties.
  static var options: [CommandOption] { get }
  /// Whether the verb has machine-readable output.
  static var hasFormats: Bool { get }
  /// Whether the verb resolves chains, and has the option to look at a link by itself.
  static var readsChains: Bool { get }
  /// Whether the verb imports property lists and state archives of others, and has the option to be strict about them.
  static var readsImports: Bool { get }
  /// The number of operands, from the first, that are files to read; they may be addresses such as `STORE@7`.
  static var fileCount: Int { get }
  /// A hint for users who pass `--format` to a verb without it.
  static var formatHint: String? { get }
  /// What the verb does to its files, such as "checking", if that can take more than a second; nil for no progress line.
  static var work: String? { get }
  static var discussion: String { get }
  static var example: String { get }

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus
}

extension Verb {
  static var operandCount: ClosedRange<Int> {
    let names = operands.split(separator: " ").filter { !$0.hasPrefix("...") }
    return names.count { !$0.hasPrefix("[") }...(operands.contains("...") ? .max : names.count)
  }
  static var options: [CommandOption] { [] }
  static var hasFormats: Bool { true }
  static var readsChains: Bool { false }
  static var readsImports: Bool { readsChains }
  static var fileCount: Int { readsChains ? operandCount.upperBound : 0 }
  static var formatHint: String? { nil }
  static var work: String? { nil }

  static var allOptions: [CommandOption] {
    options + (readsChains ? [.link] : []) + (readsImports ? [.strict] : []) + (hasFormats ? [.format] : []) + [.color]
      + (hasFormats ? [.noPager] : []) + (work == nil ? [] : [.quiet]) + [.help]
  }

  /// The help text, with the usage first.
  static var help: String {
    """
    \(summary.prefix(1).uppercased())\(summary.dropFirst()).

    \(usage)

    \(discussion)

    OPTIONS:
    \(Restoration.table(allOptions.map { ($0.synopsis, $0.help) }))

    EXAMPLE:
      \(example)

    """
  }

  static var usage: String { "USAGE: restoration \(name) [options]\(operands.isEmpty ? "" : " ")\(operands)" }

  /// Parses the arguments and runs the verb, or prints its help.
  static func start(_ arguments: ArraySlice<String>, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    if asksForHelp {
      console.write(help)
      return .fine
    }
    // `--format` is known to all verbs, so that a misplaced one is not reported as a misspelling of another option.
    let arguments = try CommandArguments(arguments, options: allOptions + (hasFormats ? [] : [.format]))
    guard hasFormats || !arguments.has("format") else { throw .usage("\(name) has no --format", hint: formatHint) }
    console.useColor(arguments.value("color"))
    try expectOperands(arguments.operands)
    if hasFormats, !arguments.has(CommandOption.noPager.name), !arguments.has("raw") { console.usePager() }
    if let work, !arguments.has(CommandOption.quiet.name) { console.begin(work) }
    do throws(ToolFailure) {
      let files = try InputAddress.files(arguments.operands.prefix(fileCount), console)
      // What a verb writes itself is no change.
      let watch = FileWatch(arguments.has("output") ? [] : files)
      let status = try Result { () throws(ToolFailure) in try run(arguments.replacingFirstOperands(with: files), console) }
        .mapError { watch.failure(explaining: $0.status) ?? $0 }.get()
      guard let failure = watch.failure(explaining: status) else { return status }
      console.report(failure.message, hint: failure.hint)
      return failure.status
    } catch {
      if arguments.printsJSON, !console.hasResult, error.status != .usage { console.write(error.json) }
      throw error
    }
  }

  /// Runs `body` on the main actor; verbs run on the main thread.
  static func onMainActor(_ body: @MainActor () throws -> ExitStatus) throws(ToolFailure) -> ExitStatus {
    do {
      return try MainActor.assumeIsolated(body)
    } catch let failure as ToolFailure {
      throw failure
    } catch {
      throw ToolFailure(status: .inputOutput, message: "\(name): \(words(of: error))")
    }
  }

  /// Returns an error in words; the description of one of Foundation is code.
  static func words(of error: any Error) -> String {
    guard let error = error as? CocoaError else { return "\(error)" }
    return "\(error.filePath.map { "\($0.escapedForDisplay) " } ?? "")cannot be read or written"
  }

  /// Runs a full-screen program until it ends.
  ///
  /// - Parameters:
  ///   - hint: What to do without a terminal.
  ///   - make: Makes the program, and returns the function that runs it.
  /// - Throws: A usage failure without a terminal; the error of `make`.
  @MainActor
  static func runOnScreen(hint: String, _ make: (Terminal) throws -> @MainActor (Terminal) async -> Void) throws -> Never {
    guard let terminal = Terminal() else { throw ToolFailure.usage("\(name) needs a terminal that can place text", hint: hint) }
    let run = try make(terminal)
    Task {
      await run(terminal)
      exit(ExitStatus.fine)
    }
    dispatchMain()
  }

  /// Runs `body` for each file that the operands name, whatever becomes of the others; returns the worst status.
  static func forEachFile(
    named names: [String]? = nil, _ arguments: CommandArguments, _ console: Console, _ body: (InputFile) throws(ToolFailure) -> ExitStatus
  ) -> ExitStatus {
    var status = ExitStatus.fine
    let names = names ?? arguments.operands
    let progress = WorkProgress.begin(names.count)
    defer { progress?.end() }
    for (index, name) in names.enumerated() {
      progress?.advance(to: index)
      do throws(ToolFailure) {
        status = status.or(try body(InputFile(name: name, arguments)))
      } catch {
        console.report(error, asJSON: arguments.printsJSON)
        status = status.or(error.status)
      }
    }
    return status
  }

  /// Throws if there are too few or too many operands, or if one that names a file is empty.
  private static func expectOperands(_ operands: [String]) throws(ToolFailure) {
    let names = operandNames
    guard operands.count >= operandCount.lowerBound else {
      let missing = names.count > operands.count ? "\(names[operands.count]) is missing" : "an operand is missing"
      throw .usage("\(name): \(missing)", hint: usage)
    }
    guard operands.count <= operandCount.upperBound else {
      let taken = names.isEmpty ? "no operands" : "only \(names.joined(separator: " and "))"
      throw .usage("\(name) takes \(taken); \(operands[operandCount.upperBound].escapedForDisplay) is too many", hint: usage)
    }
    for (place, operand) in operands.prefix(fileCount).enumerated() where operand.isEmpty {
      throw .usage("\(name): \(place < names.count ? names[place] : "a file") is an empty name", hint: usage)
    }
  }

  /// The names of the operands, without brackets and dots.
  private static var operandNames: [String] {
    operands.split(separator: " ").map { String($0.filter { !"[].".contains($0) }) }.filter { !$0.isEmpty }
  }
}
