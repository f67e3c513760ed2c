import EngineKit
import Foundation
import PropertyKit
import StateRestoration
import Testing

/// Behaviours 69: reports show no archived values.
///
/// Foreign errors appear as their type and coding path, and the delegate receives the errors themselves.
@Suite struct ReportedValuesTests {
  /// The errors of the app's callbacks, as the delegate received them.
  private final class Witness: RestorationDelegate {
    var errors: [(error: any Error, path: RestorationPath)] = []
    var decoding: (StateDecoder) throws -> Void = { _ in }
    var encoding: (StateEncoder) throws -> Void = { _ in }

    func didCatch(_ error: any Error, at path: RestorationPath) { errors.append((error, path)) }
    func didDecodeRestorableState(with coder: StateDecoder) throws { try decoding(coder) }
    func willEncodeRestorableState(with coder: StateEncoder) throws { try encoding(coder) }
  }

  private enum Mode: String, Codable { case dark }
  private struct Settings: Codable { var mode: Mode }
  private struct Quoting: Error, CustomStringConvertible, LocalizedError {
    var text: String
    var description: String { "cannot read \(text)" }
    var errorDescription: String? { description }
  }

  private static func expectNone(_ texts: [String], _ what: String) {
    for text in texts {
      if let sign = MarkedArchive.sign(in: text) { Issue.record("\(what) shows \(sign): \(text)") }
    }
  }

  /// All texts of a report, and everything that a program could print about it.
  private static func texts(of report: RestorationReport) -> [String] {
    report.nodes.map { report.why($0.path) } + [report.json(), report.summary] + MarkedArchive.texts(of: report)
      + report.nodes.flatMap { MarkedArchive.texts(of: $0) }
  }

  /// Ways in which decoding a value fails.
  private static let failures: [(String, @Sendable (StateDecoder) throws -> Void)] = [
    ("an enumeration", { _ = try $0.decode(Mode.self, forKey: "text") }),
    ("an enumeration in a field", { _ = try $0.decode(Settings.self, forKey: "settings") }),
    ("an enumeration in a dictionary", { _ = try $0.decode([String: Mode].self, forKey: "settings") }),
    ("another type", { _ = try $0.decode([String: Int].self, forKey: "settings") }),
    ("a number out of range", { _ = try $0.decode(Int8.self, forKey: "number") }),
    ("no key", { _ = try $0.decode(Int.self, forKey: "none") }),
    ("no field", { _ = try $0.decode([Settings].self, forKey: "list") }),
    ("an error that quotes", { throw Quoting(text: try $0.decode(String.self, forKey: "text")) }),
    (
      "a standard error that quotes, in one that quotes",
      { coder in
        let text = try coder.decode(String.self, forKey: "text")
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: [], debugDescription: "cannot read \(text)", underlyingError: Quoting(text: text)))
      }
    ),
    (
      "Foundation's error",
      { throw NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: try $0.decode(String.self, forKey: "text")]) }
    ),
    (
      "an encoding error",
      { coder in
        throw EncodingError.invalidValue(try coder.decode(String.self, forKey: "text"), .init(codingPath: [], debugDescription: "hunter2"))
      }
    ),
  ]

  private static func archive() throws -> ArchiveReader {
    let state: ArchiveDictionary = [
      "text": "hunter2", "settings": ["mode": "hunter2"], "number": 8_246_913_577, "list": [["mode": "dark"], ["other": "hunter2"]],
    ]
    return try ArchiveReader(
      ArchiveTree(applicationState: state, nodes: [ArchiveNode("a", state: state), ArchiveNode("made", type: "T", state: state)]).encoded())
  }

  @Test("errors of an object, a factory and the delegate during restoring show no values", arguments: failures.indices)
  func restoringShowsNone(_ index: Int) throws {
    let (name, fail) = Self.failures[index]
    let object = SampleObject("a")
    object.decoding = fail
    let delegate = Witness()
    delegate.decoding = fail
    let application = RestorableTree(roots: [object], delegate: delegate)
    let report = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(type: "T") { node in
          try fail(node.decoder())
          return nil
        }
      }, options: RestorationOptions(tracesDecisions: true))
    #expect(report.node(at: "a")?.outcome == .failed && report.node(at: "made")?.outcome == .failed, "\(name)")
    Self.expectNone(Self.texts(of: report), name)
    #expect(Set(delegate.errors.map(\.path)) == ["a", "made", .application], "\(name)")
    // The text names the key or the error.
    let text = try #require(report.node(at: "a")?.error)
    #expect(text.contains("key ") || text.contains("Error") || text == "Quoting", "\(text)")
  }

  @Test("an error's type and coding path are reported")
  func tellsTypesAndPaths() throws {
    let object = SampleObject("a")
    object.decoding = { _ = try $0.decode(Settings.self, forKey: "settings") }
    let report = try RestorableTree(roots: [object]).restore(from: Self.archive(), with: Resolver {})
    #expect(report.node(at: "a")?.error == "DecodingError.dataCorrupted (at settings.mode)")
    let other = SampleObject("a")
    other.decoding = { throw Quoting(text: try $0.decode(String.self, forKey: "text")) }
    #expect(
      try RestorableTree(roots: [other]).restore(from: Self.archive(), with: Resolver {}).node(at: "a")?.error == "Quoting")
    let field = SampleObject("a")
    field.decoding = { _ = try $0.decode([[String: Int8]].self, forKey: "list") }
    let text = try RestorableTree(roots: [field]).restore(from: Self.archive(), with: Resolver {}).node(at: "a")?.error
    #expect(
      text?.hasPrefix("value: expected Int8, found string") == true && text?.contains("(at list.Index 0.mode)") == true, "\(text ?? "")")
  }

  @Test("errors of an object and the delegate during preserving show no values")
  func preservingShowsNone() throws {
    struct Bad: Encodable {
      var text = "hunter2"
      var link = RestorationPath.application
    }
    let throwing: [(StateEncoder) throws -> Void] = [
      { try $0.encode(Bad(), forKey: "bad") }, { _ in throw Quoting(text: "hunter2") }, { try $0.encodeState("hunter2") },
      { _ in throw EncodingError.invalidValue("hunter2", .init(codingPath: [], debugDescription: "hunter2")) },
      { try $0.encode(.dictionary(["a": "hunter2", "b": .url("")]), forKey: "bad") },
    ]
    for encode in throwing {
      let object = SampleObject("a")
      object.encoding = encode
      let delegate = Witness()
      delegate.encoding = encode
      let application = RestorableTree(roots: [object], delegate: delegate)
      try application.startFresh()
      let preservation = try application.preserve(header: .sample)
      let report = preservation.report
      Self.expectNone([report.json()] + MarkedArchive.texts(of: report), "a report")
      #expect(delegate.errors.count == 2 && Set(delegate.errors.map(\.path)) == ["a", .application])
      let strict = RestorableTree(roots: [object], delegate: delegate)
      try strict.startFresh()
      let error = #expect(throws: RestorationError.self) {
        try strict.preserve(header: .sample, options: PreservationOptions(isStrict: true))
      }
      Self.expectNone(MarkedArchive.texts(of: error as Any), "an error")
    }
  }
}
