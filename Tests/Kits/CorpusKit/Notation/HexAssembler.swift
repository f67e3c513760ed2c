/// The state of an assembly in progress: the bytes so far, and the position of the next ones.
struct HexAssembler {
  /// The maximum number of bytes from one source, so that a mistake in a repetition does not fill the memory.
  static let limit = 1 << 26

  /// The bytes assembled so far.
  private(set) var bytes: [UInt8] = []
  /// The current line number, for messages.
  var line = 1

  /// The position that the next byte overwrites; nil to append it.
  private var cursor: Int?
  /// Whether anything other than comments has been read; `@base` is then too late.
  private var hasBegun = false

  /// Assembles one line of the source, without its line feed.
  mutating func take(_ text: [UInt8], loadBase: (String) throws -> [UInt8]) throws {
    var scanner = HexLineScanner(text: text, line: line)
    if let (name, argument) = try scanner.directive() {
      try obey(name, argument, loadBase: loadBase)
      hasBegun = true
      return
    }
    while let run = try scanner.nextRun() {
      hasBegun = true
      try put(run.count == 1 ? run.bytes : [UInt8](repeating: run.bytes[0], count: run.count))
    }
  }

  private mutating func obey(_ name: String, _ argument: String, loadBase: (String) throws -> [UInt8]) throws {
    switch name {
    case "base":
      guard !hasBegun else { throw error("@base must come before everything else") }
      guard !argument.isEmpty else { throw error("@base needs a path") }
      bytes = try loadBase(argument)
    case "at":
      cursor = try offset(argument)
    case "append":
      guard argument.isEmpty else { throw error("@append takes nothing behind it") }
      cursor = nil
    case "truncate":
      bytes.removeLast(bytes.count - (try offset(argument)))
      cursor = nil
    default:
      throw error("unknown directive @\(name)")
    }
  }

  private mutating func put(_ new: [UInt8]) throws {
    guard let start = cursor else {
      guard bytes.count + new.count <= Self.limit else { throw error("more than \(Self.limit) bytes") }
      bytes += new
      return
    }
    guard start + new.count <= bytes.count else { throw error("this overwrites past the end, which is at \(bytes.count)") }
    bytes.replaceSubrange(start..<start + new.count, with: new)
    cursor = start + new.count
  }

  private func offset(_ text: String) throws -> Int {
    let value = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    guard let value, value >= 0 else { throw error("\"\(text)\" is no offset") }
    guard value <= bytes.count else { throw error("offset \(value) is past the end, which is at \(bytes.count)") }
    return value
  }

  private func error(_ problem: String) -> HexNotationError {
    HexNotationError(line: line, problem: problem)
  }
}
