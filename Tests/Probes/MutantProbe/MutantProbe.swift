import CorpusKit
#if !MUTANTS
  import SlowReader
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs mutants of the slow reader over the corpus, as `.ci/mutants` wants it.
///
/// `trace FOLDER SITES` writes the archives of the corpus into a folder, and for each of them and for each chain the time that the original
/// takes and the sites that it reaches. `work FOLDER SITES` reads lines of a site, a variant, and files to try, each with that time, and says of each line whether a file
/// came out differently. A mutant that traps or takes too long ends the process.
@main
enum MutantProbe {
  /// What is read: an archive, or the files of a chain.
  enum Input {
    case archive([UInt8])
    case chain([[UInt8]])
  }

  /// All that an input comes to.
  enum ReadResult: Equatable {
    case archive([SlowFinding], Result<SlowArchive, SlowFinding>)
    case chain(SlowChain)

    init(_ input: Input) {
      switch input {
      case .archive(let bytes): self = .archive(slowCheck(bytes), Result { () throws(SlowFinding) in try slowRead(bytes) })
      case .chain(let files): self = .chain(slowResolve(files))
      }
    }
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else { exit(2) }
    MutantSwitch.prepare(count: count)
    if arguments[1] == "trace" {
      try trace(into: arguments[2], count: count)
    } else {
      try work(from: arguments[2])
    }
  }

  private static func trace(into folder: String, count: Int) throws {
    var lines: [String] = []
    var isWrong = false
    for (number, file) in try Corpus.files().enumerated() {
      guard FileManager.default.createFile(atPath: "\(folder)/\(number)", contents: Data(file.bytes)) else { exit(3) }
      let (result, line) = traced(.archive(file.bytes), number, file.path, count)
      lines.append(line)
      let expected = file.expectation?.findings.map { SlowFinding(code: $0.code, offset: $0.offset) }
      guard case .archive(let findings, _) = result, findings == expected else {
        say("\(file.path): the original finds \(result)")
        isWrong = true
        continue
      }
    }
    // A number below 0 is that of a chain.
    for (index, chain) in try CorpusChain.all().enumerated() {
      let (result, line) = traced(.chain(chain.files), -1 - index, "\(CorpusChain.table) (\(chain))", count)
      lines.append(line)
      guard case .chain(let found) = result, found.appliedCount == chain.appliedCount, found.error == chain.errorCode else {
        say("\(chain): the original gives another result")
        isWrong = true
        continue
      }
    }
    guard FileManager.default.createFile(atPath: "\(folder)/trace.tsv", contents: Data(lines.joined().utf8)) else { exit(3) }
    if isWrong { exit(1) }
  }

  /// The result of an input, and its line in the table.
  private static func traced(_ input: Input, _ number: Int, _ name: String, _ count: Int) -> (ReadResult, line: String) {
    let start = time()
    var result: ReadResult?
    let reached = MutantSwitch.trace(count: count) { result = ReadResult(input) }
    let line = "\(number)\t\(time() - start)\t\(name)\t\(reached.map(String.init).joined(separator: " "))\n"
    return (result ?? ReadResult(input), line)
  }

  private static func work(from folder: String) throws {
    var originals: [Int: ReadResult] = [:]
    var inputs: [Int: Input] = [:]
    for (index, chain) in try CorpusChain.all().enumerated() { inputs[-1 - index] = .chain(chain.files) }
    // A mutant that sets memory aside for what is not there shall not take that of others.
    var memory = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)

    while let line = readLine() {
      let words = line.split(separator: " ")
      let (site, variant) = (Int(words[0]) ?? 0, UInt8(words[1]) ?? 0)
      var killer: Int?
      for word in words.dropFirst(2) {
        let parts = word.split(separator: ":")
        let number = Int(parts[0]) ?? 0
        let input = inputs[number] ?? .archive(FileManager.default.contents(atPath: "\(folder)/\(number)").map { [UInt8]($0) } ?? [])
        let original = originals[number] ?? ReadResult(input)
        (inputs[number], originals[number]) = (input, original)
        say("trying \(number)")
        MutantSwitch.choose(variant, at: site)
        limit(to: max(2_000_000, 20 * (Int(parts[1]) ?? 0) / 1000))
        let outcome = ReadResult(input)
        MutantSwitch.choose(0, at: site)
        limit(to: 0)
        if outcome != original {
          killer = number
          break
        }
      }
      say(killer.map { "killed \($0)" } ?? "survived")
    }
  }

  /// Ends the process after so many microseconds of the processor's time; 0 takes that back.
  private static func limit(to microseconds: Int) {
    var timer = itimerval()
    timer.it_value.tv_sec = microseconds / 1_000_000
    timer.it_value.tv_usec = numericCast(microseconds % 1_000_000)
    unsafe setitimer(__itimer_which_t(ITIMER_VIRTUAL.rawValue), &timer, nil)
  }

  private static func time() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
