package import RestorationArchive

/// Limits on the size of saved state: in total, for each node and for paths.
///
///     let budget = SizeBudget(archive: 64_000, eachNode: 4_000, paths: ["root/editors/**": 20_000])
///     let preservation = try tree.preserve(header: header, options: PreservationOptions(budget: budget))
///     #expect(preservation.report.excesses == [])
///
/// A text form lets a build hold its archives to the same limits (`restoration sizes --budget FILE`). Each line is a path
/// or pattern and its limit; `(archive)` stands for the whole archive, `(each node)` for each node alone:
///
///     # limits of the notes app
///     (archive): 64 KiB
///     (each node): 4000
///     root/editors/**: 20 KiB
public struct SizeBudget: Sendable {
  private let total: Int
  private let each: Int
  private let paths: [(pattern: RestorationPattern, bytes: Int)]

  /// Creates limits in bytes: for the archive, for the state of each node, and for the total state of all nodes that
  /// match a pattern.
  ///
  /// - Precondition: The keys of `paths` are valid paths or patterns.
  public init(archive total: Int = .max, eachNode each: Int = .max, paths: KeyValuePairs<String, Int> = [:]) {
    self.total = total
    self.each = each
    self.paths = paths.map { text, bytes in
      do throws(ArchiveError) {
        return (try RestorationPattern(text), bytes)
      } catch {
        preconditionFailure("\"\(text)\" is no path or pattern: \(error)")
      }
    }
  }

  /// Parses the text form.
  ///
  /// A size is a number of bytes, or a number followed by `KiB` or `MiB`. Empty lines and lines that begin with `#` are
  /// skipped. The last `: ` of a line separates the pattern from its limit.
  ///
  /// - Throws: ``RestorationError/Code/budgetSyntax`` for the first line of another form, with its number.
  public init(parsing text: String) throws(RestorationError) {
    var (total, each) = (Int.max, Int.max)
    var paths: [(pattern: RestorationPattern, bytes: Int)] = []
    // Not at "\n": the end of a line of Windows is another character. An editor there may also begin with a byte order mark.
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    for (number, line) in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = Self.trimmed(line)
      if line.isEmpty || line.first == "#" { continue }
      guard let separator = line.lastIndex(of: ":"), let bytes = Self.byteCount(Self.trimmed(line[line.index(after: separator)...])) else {
        throw RestorationError(.budgetSyntax, "line \(number + 1): expected PATTERN: SIZE, with a size such as 4000, 64 KiB or 1 MiB")
      }
      switch Self.trimmed(line[..<separator]) {
      case "(archive)": total = bytes
      case "(each node)": each = bytes
      case let pattern:
        do throws(ArchiveError) {
          paths.append((try RestorationPattern(String(pattern)), bytes))
        } catch {
          throw RestorationError(.budgetSyntax, "line \(number + 1): \(error)")
        }
      }
    }
    self.total = total
    self.each = each
    self.paths = paths
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  private static func byteCount(_ text: Substring) -> Int? {
    for (unit, factor) in [("KiB", 1024), ("MiB", 1024 * 1024)] where text.hasSuffix(unit) {
      return number(trimmed(text.dropLast(unit.count))).flatMap { number in
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
        return isTooLarge ? nil : product
      }
    }
    return number(text)
  }

  private static func number(_ digits: Substring) -> Int? {
    digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(digits) : nil
  }

  /// Returns the exceeded limits, one line each.
  package func excesses(of report: PreservationReport) -> [String] {
    var check = Check(self)
    for entry in report.entries() { check.add(entry.path, entry.byteCount) }
    return check.excesses(archiveByteCount: report.byteCount)
  }

  /// A check of the nodes of one archive, in any order.
  package struct Check {
    private let budget: SizeBudget
    /// The bytes of the nodes that match each pattern; nil if none does.
    private var sums: [Int?]
    private var largeNodes: [String] = []

    /// Begins a check.
    package init(_ budget: SizeBudget) {
      self.budget = budget
      sums = [Int?](repeating: nil, count: budget.paths.count)
    }

    /// Adds a node with the number of its bytes of state.
    package mutating func add(_ path: RestorationPath, _ byteCount: Int) {
      if byteCount > budget.each { largeNodes.append("\(path.displayText): \(byteCount) bytes, at most \(budget.each) expected") }
      for (place, limit) in budget.paths.enumerated() where limit.pattern.matches(path) { sums[place] = (sums[place] ?? 0) + byteCount }
    }

    /// The patterns that no node matched.
    package var unmatchedPatterns: [String] {
      zip(budget.paths, sums).filter { $0.1 == nil }.map { $0.0.pattern.description.escapedForDisplay }
    }

    /// Returns the exceeded limits, one line each.
    package func excesses(archiveByteCount: Int) -> [String] {
      var lines: [String] = []
      if archiveByteCount > budget.total { lines.append("the archive: \(archiveByteCount) bytes, at most \(budget.total) expected") }
      lines += largeNodes
      for case (let limit, let sum?) in zip(budget.paths, sums) where sum > limit.bytes {
        lines.append("\(limit.pattern.description.escapedForDisplay): \(sum) bytes, at most \(limit.bytes) expected")
      }
      return lines
    }
  }
}
