/// A text or a regular expression to search for.
///
/// The work of a match is at most the product of the lengths of pattern and text, whatever they are: all alternatives are
/// followed at the same time, and none is tried again. Files are hostile, and an expression that backtracks takes
/// exponential time on a text made for it.
package struct TextPattern: Sendable {
  package struct SyntaxError: Error, CustomStringConvertible {
    package let description: String
  }

  /// A step of the program; those that are not jumps lead to the next one.
  fileprivate enum Step: Sendable {
    case one(of: ScalarSet)
    /// Leads to two steps, which are so many steps away.
    case either(Int, Int)
    case start, end
    case wordBoundary(Bool)
    case found
  }

  private let steps: [Step]
  private let ignoresCase: Bool
  /// The longest program; a count such as `{1000}` repeats its part.
  fileprivate static let maximumSteps = 10_000

  /// Creates a pattern from a text, or from a regular expression between slashes.
  ///
  /// - Throws: ``SyntaxError`` for a regular expression that cannot be read.
  package init(_ text: String, ignoringCase: Bool = false) throws(SyntaxError) {
    ignoresCase = ignoringCase
    let scalars = Array(text.unicodeScalars)
    if scalars.count > 2, scalars.first == "/", scalars.last == "/" {
      var parser = ExpressionParser(scalars[1..<(scalars.count - 1)])
      steps = try parser.parse() + [.found]
    } else {
      try ExpressionParser.expectFew(scalars.count)
      steps = scalars.map { .one(of: ScalarSet($0)) } + [.found]
    }
  }

  // MARK: Matching

  private struct Place {
    var offset = 0
    var before: Unicode.Scalar?
    var after: Unicode.Scalar?
  }

  /// Returns the first match that ends in a text, as a range of its scalars; nil if there is none.
  package func match(in text: String) -> Range<Int>? {
    // The text is not copied, because it may be most of a file.
    var scalars = text.unicodeScalars.makeIterator()
    var (now, next) = (Threads(steps.count), Threads(steps.count))
    var place = Place(after: scalars.next())
    while true {
      if let start = add(0, from: place.offset, to: &now, at: place) { return start..<place.offset }
      guard let scalar = place.after else { return nil }
      place = Place(offset: place.offset + 1, before: scalar, after: scalars.next())
      var index = 0
      while index < now.list.count {
        let thread = now.list[index]
        index += 1
        guard case .one(let set) = steps[thread.step], set.contains(scalar, ignoringCase: ignoresCase) else { continue }
        if let start = add(thread.step + 1, from: thread.start, to: &next, at: place) { return start..<place.offset }
      }
      swap(&now, &next)
      next.removeAll()
    }
  }

  package func matches(_ text: String) -> Bool { match(in: text) != nil }

  /// The steps that wait for the next character, each once, with the place where their match began.
  private struct Threads {
    var list: [(step: Int, start: Int)] = []
    /// The steps to be added; kept here, so that no step allocates memory.
    var waiting: [Int] = []
    private var round: [Int]
    private var current = 1

    init(_ count: Int) { round = [Int](repeating: 0, count: count) }

    mutating func visit(_ step: Int) -> Bool {
      if round[step] == current { return false }
      round[step] = current
      return true
    }

    mutating func removeAll() {
      list.removeAll(keepingCapacity: true)
      current += 1
    }
  }

  /// Adds a step and those that it leads to without a character; returns the start of a match if it leads to the end.
  private func add(_ first: Int, from start: Int, to threads: inout Threads, at place: Place) -> Int? {
    threads.waiting.removeAll(keepingCapacity: true)
    threads.waiting.append(first)
    while let step = threads.waiting.popLast() {
      guard threads.visit(step) else { continue }
      switch steps[step] {
      case .found: return start
      case .one: threads.list.append((step, start))
      case .either(let left, let right):
        threads.waiting.append(step + right)
        threads.waiting.append(step + left)
      case .start: if place.before == nil { threads.waiting.append(step + 1) }
      case .end: if place.after == nil { threads.waiting.append(step + 1) }
      case .wordBoundary(let isBoundary):
        let (before, after) = (place.before.map(ScalarSet.isWord) ?? false, place.after.map(ScalarSet.isWord) ?? false)
        if (before != after) == isBoundary { threads.waiting.append(step + 1) }
      }
    }
    return nil
  }
}

fileprivate struct ScalarSet: Sendable {
  typealias Class = @Sendable (Unicode.Scalar) -> Bool

  var ranges: [ClosedRange<UInt32>] = []
  /// The classes `\d`, `\w` and `\s`, each with whether it is in the set, or everything else is.
  var classes: [(contains: Class, isIn: Bool)] = []
  var isInverted = false

  init() {}
  init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }
  init(isIn: Bool, _ contains: @escaping Class) { classes = [(contains, isIn)] }

  func contains(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> Bool {
    if has(scalar) { return !isInverted }
    if ignoringCase {
      let properties = scalar.properties
      for other in [properties.lowercaseMapping, properties.uppercaseMapping] {
        if let first = other.unicodeScalars.first, other.unicodeScalars.count == 1, first != scalar, has(first) { return !isInverted }
      }
    }
    return isInverted
  }

  private func has(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } || classes.contains { $0.contains(scalar) == $0.isIn }
  }

  @Sendable static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }
}

/// Parses the expressions that `grep -E` has, and the classes `\d`, `\w`, `\s` and `\b`.
fileprivate struct ExpressionParser {
  private typealias SyntaxError = TextPattern.SyntaxError
  private typealias Step = TextPattern.Step
  private var rest: ArraySlice<Unicode.Scalar>
  private static let maximumDepth = 100

  init(_ text: ArraySlice<Unicode.Scalar>) { rest = text }

  mutating func parse() throws(TextPattern.SyntaxError) -> [TextPattern.Step] {
    let steps = try choice(depth: 0)
    guard rest.isEmpty else { throw SyntaxError(description: "a ) without its (") }
    return steps
  }

  /// Throws if a program has too many steps.
  static func expectFew(_ count: Int) throws(TextPattern.SyntaxError) {
    guard count < TextPattern.maximumSteps else { throw SyntaxError(description: "the expression is too long") }
  }

  private mutating func choice(depth: Int) throws(SyntaxError) -> [Step] {
    guard depth < Self.maximumDepth else { throw SyntaxError(description: "groups are nested too deeply") }
    var parts: [[Step]] = []
    repeat { parts.append(try sequence(depth)) } while take("|")
    var steps = parts.removeLast()
    while let part = parts.popLast() {
      // A fork to the part or behind it, and a jump from the end of the part to the end of all.
      let jump = Step.either(steps.count + 1, steps.count + 1)
      steps = [.either(1, part.count + 2)] + part + [jump] + steps
      try Self.expectFew(steps.count)
    }
    return steps
  }

  private mutating func sequence(_ depth: Int) throws(SyntaxError) -> [Step] {
    var steps: [Step] = []
    while let next = rest.first, next != "|", next != ")" {
      var part = try item(depth)
      var repeats = 0
      while let range = try repetition() {
        repeats += 1
        guard repeats <= Self.maximumDepth else { throw SyntaxError(description: "too many repetitions of one part") }
        part = try Self.repeated(part, range)
      }
      steps += part
      try Self.expectFew(steps.count)
    }
    return steps
  }

  private static func repeated(_ part: [Step], _ range: ClosedRange<Int>) throws(SyntaxError) -> [Step] {
    // A part without steps takes time too if it is repeated a million times.
    let part = part.isEmpty ? [.either(1, 1)] : part
    try expectFew((range.upperBound == .max ? range.lowerBound + 1 : range.upperBound) * (part.count + 1))
    var steps: [Step] = []
    for _ in 0..<range.lowerBound { steps += part }
    if range.upperBound == .max {
      return steps + [.either(1, part.count + 2)] + part + [.either(-part.count - 1, -part.count - 1)]
    }
    // Each of the other parts may be left out with all that follow.
    let rest = (range.upperBound - range.lowerBound) * (part.count + 1)
    for behind in stride(from: rest, to: 0, by: -part.count - 1) { steps += [.either(1, behind)] + part }
    return steps
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func item(_ depth: Int) throws(SyntaxError) -> [Step] {
    switch rest.removeFirst() {
    case ".":
      var set = ScalarSet("\n")
      set.isInverted = true
      return [.one(of: set)]
    case "^": return [.start]
    case "$": return [.end]
    case "(":
      if take("?"), !take(":") { throw SyntaxError(description: "(? is only for (?:…)") }
      let group = try choice(depth: depth + 1)
      guard take(")") else { throw SyntaxError(description: "a ( without its )") }
      return group
    case "[": return [.one(of: try set())]
    case "\\":
      if take("b") { return [.wordBoundary(true)] }
      if take("B") { return [.wordBoundary(false)] }
      return [.one(of: try escaped())]
    case "*", "+", "?", "{": throw SyntaxError(description: "a repetition of nothing")
    case let scalar: return [.one(of: ScalarSet(scalar))]
    }
  }

  private mutating func escaped() throws(SyntaxError) -> ScalarSet {
    guard let scalar = rest.popFirst() else { throw SyntaxError(description: "a \\ at the end") }
    switch scalar {
    case "d", "D": return ScalarSet(isIn: scalar == "d") { $0.properties.generalCategory == .decimalNumber }
    case "w", "W": return ScalarSet(isIn: scalar == "w", ScalarSet.isWord)
    case "s", "S": return ScalarSet(isIn: scalar == "s") { $0.properties.isWhitespace }
    case "n": return ScalarSet("\n")
    case "r": return ScalarSet("\r")
    case "t": return ScalarSet("\t")
    case "u" where rest.first == "{":
      let digits = String(String.UnicodeScalarView(rest.dropFirst().prefix { $0 != "}" }))
      guard rest.count > digits.unicodeScalars.count + 1, let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
        throw SyntaxError(description: "\\u{…} is a number in hexadecimal")
      }
      rest = rest.dropFirst(digits.unicodeScalars.count + 2)
      return ScalarSet(scalar)
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw SyntaxError(description: "\\\(scalar) has no meaning here")
      }
      return ScalarSet(scalar)
    }
  }

  private mutating func set() throws(SyntaxError) -> ScalarSet {
    var set = ScalarSet()
    set.isInverted = take("^")
    var isFirst = true
    while let next = rest.popFirst() {
      if next == "]", !isFirst { return set }
      isFirst = false
      let low = next == "\\" ? try escaped() : ScalarSet(next)
      guard let start = low.ranges.first?.lowerBound, rest.first == "-", rest.dropFirst().first ?? "]" != "]" else {
        set.ranges += low.ranges
        set.classes += low.classes
        continue
      }
      rest.removeFirst()
      let end = rest.removeFirst()
      guard let last = (end == "\\" ? try escaped() : ScalarSet(end)).ranges.first?.upperBound, last >= start else {
        throw SyntaxError(description: "a range of characters that is empty")
      }
      set.ranges.append(start...last)
    }
    throw SyntaxError(description: "a [ without its ]")
  }

  private mutating func repetition() throws(SyntaxError) -> ClosedRange<Int>? {
    let range: ClosedRange<Int>
    if take("*") {
      range = 0...Int.max
    } else if take("+") {
      range = 1...Int.max
    } else if take("?") {
      return 0...1
    } else if take("{") {
      let least = number()
      let most = take(",") ? number() ?? .max : least ?? 0
      guard take("}"), let least, least <= most, least <= 1000, most <= 1000 || most == .max else {
        throw SyntaxError(description: "a count is {n}, {n,} or {n,m}, up to 1000")
      }
      range = least...most
    } else {
      return nil
    }
    // Whether a match is long or short makes no difference here.
    _ = take("?")
    return range
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    rest = rest.dropFirst(digits.count)
    return Int(String(String.UnicodeScalarView(digits)))
  }
}
