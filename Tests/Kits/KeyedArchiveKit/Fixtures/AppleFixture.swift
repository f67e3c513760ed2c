import CorpusKit

/// A fixture of `Corpus/apple`, made from the facts about Apple's formats.
public struct AppleFixture: Sendable, CustomStringConvertible {
  /// A fault with its place; nil for a fault without one.
  public struct Finding: Sendable, Equatable {
    /// The code.
    public let code: String
    /// The offset in the file or the innermost archive.
    public let offset: Int?

    fileprivate var text: String { "\(code)\(offset.map { " 0x\(String($0, radix: 16))" } ?? "")" }
  }

  /// The expected outcome.
  public enum ImportOutcome: Sendable, Equatable {
    /// It is read; the source that it is recognized as, and the number of notes on losses.
    case valid(String, losses: Int)
    /// It is refused with a code at an offset; nil for a fault without a place.
    case refused(String, Int?)
  }

  /// The path below `Corpus/apple`, without extensions.
  public let name: String
  /// The file; of a saved state of AppKit, `data.data`.
  public let bytes: [UInt8]
  /// `windows.plist` of a saved state of AppKit.
  public let windows: [UInt8]?
  /// The expected outcome.
  public let outcome: ImportOutcome
  /// The finding with which a strict reader refuses a fixture that is read: that of an oddity.
  public var oddity: Finding?
  /// Whether the fixture shows what a salvage keeps of a damaged file, with the content beside it.
  public var isSalvaged = false
  /// What the fixture shows.
  public let reason: String

  /// The name.
  public var description: String { name }

  /// The text of the `.expect` file.
  public var expectation: String {
    switch outcome {
    case .valid(let source, let losses):
      "outcome: valid\nsource: \(source)\nlosses: \(losses)\n\(oddity.map { "strict: \($0.text)\n" } ?? "")reason: \(reason)\n"
    case .refused(let code, let offset): "outcome: refused\nfinding: \(Finding(code: code, offset: offset).text)\nreason: \(reason)\n"
    }
  }

  /// All fixtures.
  public static let all: [AppleFixture] =
    propertyLists + xmlLists + oldStyleLists + otherFormats + keyedArchives + layouts + uiKitStates + appKitStates + damagedFiles

  /// Writes the files of the fixture.
  public func write() throws {
    let path = "apple/\(name)"
    let isXML = bytes.starts(with: "<".utf8)
    try Corpus.write(isXML ? bytes : Array(HexText.text(of: bytes).utf8), to: path + (isXML ? ".xml" : ".bytes"))
    if let windows { try Corpus.write(Array(HexText.text(of: windows).utf8), to: path + ".windows.bytes") }
    try Corpus.write(Array(expectation.utf8), to: path + ".expect")
  }

  // MARK: Making fixtures

  static func valid(
    _ name: String, _ bytes: [UInt8], windows: [UInt8]? = nil, _ source: String, losses: Int = 0, _ reason: String
  ) -> AppleFixture {
    AppleFixture(name: name, bytes: bytes, windows: windows, outcome: .valid(source, losses: losses), reason: reason)
  }

  /// A fixture that is read with an oddity.
  static func odd(
    _ name: String, _ bytes: [UInt8], windows: [UInt8]? = nil, _ source: String, losses: Int = 0, _ code: String, at offset: Int?,
    _ reason: String
  ) -> AppleFixture {
    var fixture = valid(name, bytes, windows: windows, source, losses: losses, reason)
    fixture.oddity = Finding(code: code, offset: offset)
    return fixture
  }

  /// A damaged fixture, of which a salvage keeps a part.
  static func salvaged(_ name: String, _ bytes: [UInt8], _ code: String, at offset: Int?, _ reason: String) -> AppleFixture {
    var fixture = refused(name, bytes, code, at: offset, "\(reason) (R-K2-8)")
    fixture.isSalvaged = true
    return fixture
  }

  static func refused(
    _ name: String, _ bytes: [UInt8], windows: [UInt8]? = nil, _ code: String, at offset: Int?, _ reason: String
  ) -> AppleFixture {
    AppleFixture(name: name, bytes: bytes, windows: windows, outcome: .refused(code, offset), reason: reason)
  }
}
