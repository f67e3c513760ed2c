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
/// `trace FOLDER SITES` writes the archives of the corpus into a folder, and for each the time that the original takes and the sites that it
/// reaches. `work FOLDER SITES` reads lines of a site, a variant, and files to try, each with that time, and says of each line whether a file
/// came out differently. A mutant that traps or takes too long ends the process.
@main
enum MutantProbe {
  /// All that a file comes to.
  struct ReadResult: Equatable {
    var findings: [SlowFinding]
    var content: Result<SlowArchive, SlowFinding>

    init(_ bytes: [UInt8]) {
      findings = slowCheck(bytes)
      content = Result { () throws(SlowFinding) in try slowRead(bytes) }
    }
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else { exit(2) }
    MutantSwitch.prepare(count: count)
    if arguments[1] == "trace" {
      try trace(into: arguments[2], count: count)
    } else {
      work(from: arguments[2])
    }
  }

  private static func trace(into folder: String, count: Int) throws {
    var lines: [String] = []
    var isWrong = false
    for (number, file) in try Corpus.files().enumerated() {
      guard FileManager.default.createFile(atPath: "\(folder)/\(number)", contents: Data(file.bytes)) else { exit(3) }
      let start = time()
      var findings: [SlowFinding] = []
      let reached = MutantSwitch.trace(count: count) { findings = ReadResult(file.bytes).findings }
      if findings != file.expectation?.findings.map({ SlowFinding(code: $0.code, offset: $0.offset) }) {
        say("\(file.path): the original finds \(findings)")
        isWrong = true
      }
      lines.append("\(number)\t\(time() - start)\t\(file.path)\t\(reached.map(String.init).joined(separator: " "))\n")
    }
    guard FileManager.default.createFile(atPath: "\(folder)/trace.tsv", contents: Data(lines.joined().utf8)) else { exit(3) }
    if isWrong { exit(1) }
  }

  private static func work(from folder: String) {
    var originals: [Substring: ReadResult] = [:]
    var files: [Substring: [UInt8]] = [:]
    // A mutant that sets memory aside for what is not there shall not take that of others.
    var memory = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)

    while let line = readLine() {
      let words = line.split(separator: " ")
      let (site, variant) = (Int(words[0]) ?? 0, UInt8(words[1]) ?? 0)
      var killer: Substring?
      for word in words.dropFirst(2) {
        let parts = word.split(separator: ":")
        let number = parts[0]
        let bytes = files[number] ?? FileManager.default.contents(atPath: "\(folder)/\(number)").map { [UInt8]($0) } ?? []
        let original = originals[number] ?? ReadResult(bytes)
        (files[number], originals[number]) = (bytes, original)
        say("trying \(number)")
        MutantSwitch.choose(variant, at: site)
        limit(to: max(2_000_000, 20 * (Int(parts[1]) ?? 0) / 1000))
        let outcome = ReadResult(bytes)
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
