import Foundation
import ProcessKit
import Testing

/// Behaviours 72: an actor can be neither restorable nor a delegate, because its state would be read outside its
/// isolation.
///
/// These tests type-check small files against the modules built next to the tests, which takes about a second per file.
/// By hand:
///
///     swiftc -typecheck -swift-version 6 -I .build/debug/Modules File.swift
@Suite struct ActorTests {
  private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { "\($0)/swiftc" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private func errors(in source: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let file = folder.url("Source.swift")
    try Data("import StateRestoration\n\(source)\n".utf8).write(to: file)
    let modules = TestProcess.products.appendingPathComponent("Modules").path
    let result = try TestProcess.run(
      #require(Self.compiler),
      ["-typecheck", "-swift-version", "6", "-I", modules, "-module-cache-path", folder.url("cache").path, file.path])
    return (result.text + result.error).split(separator: "\n").filter { $0.contains("error:") }.map { String($0) }
  }

  @Test("72: actors do not compile as restorable objects or delegates, and the compiler reports why")
  func behaviour72RefusesActors() throws {
    // One file, because starting the compiler takes most of the time; each line gives its own error.
    let refused = [
      (
        "actor Counter: Restorable { nonisolated var restorationIdentifier: String? { \"counter\" }; @Restored var count = 0 }",
        "an actor cannot be Restorable"
      ), ("actor Delegate: RestorationDelegate { @Restored var theme = \"light\" }", "an actor cannot be a RestorationDelegate"),
      (
        "extension MainActor: Restorable { nonisolated public var restorationIdentifier: String? { nil } }", "an actor cannot be Restorable"
      ),
    ]
    let errors = try errors(in: refused.map(\.0).joined(separator: "\n"))
    for (index, (_, message)) in refused.enumerated() {
      // The first line is the import.
      #expect(errors.contains { $0.contains(message) && $0.contains("Source.swift:\(index + 2):") }, "\(errors)")
    }
  }

  @Test("72: classes with the same conformances compile")
  func behaviour72TakesClasses() throws {
    let source = """
      final class Counter: Restorable { let restorationIdentifier: String? = "counter"; @Restored var count = 0 }
      @MainActor final class Pane: @MainActor Restorable { let restorationIdentifier: String? = "pane"; @Restored var count = 0 }
      @MainActor final class Panel: MainActorRestorableObject { override class var restorationType: String { "Panel" } }
      final class Delegate: RestorationDelegate { @Restored var theme = "light" }
      """
    #expect(try errors(in: source) == [])
  }
}
