import CorpusKit
import Foundation
import Testing

/// `Spec/restoration-archive.magic` describes archives to `file(1)`.
@Suite struct MagicFileTests {
  /// A line of the magic file: offset, type, value, text.
  private static func lines() throws -> [[String]] {
    try SpecFiles.text("Spec/restoration-archive.magic").split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("!") }
      .map { $0.split(separator: "\t").map(String.init) }
  }

  /// Returns the bytes of a string of a magic file.
  private static func bytes(_ text: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let escape = rest.popFirst()
      switch escape {
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        bytes.append(try #require(UInt8(digits, radix: 16)))
        rest = rest.dropFirst(2)
      default: Issue.record("an escape that is not known: \(String(describing: escape))")
      }
    }
    return bytes
  }

  @Test("the magic is that of R-4.2-1, and the other lines show version and length")
  func hasTheBytes() throws {
    let lines = try Self.lines()
    #expect(lines.map { Array($0.prefix(2)) } == [["0", "string"], [">8", "uleshort"], [">10", "uleshort"], [">16", "ulequad"]])
    #expect(try Self.bytes(lines[0][2]) == [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A])
    let names = try SpecFiles.text("Spec/registry.md")
    for line in try SpecFiles.text("Spec/restoration-archive.magic").split(separator: "\n") where line.hasPrefix("!:") {
      let name = String(line.split(separator: "\t").last ?? "")
      let registered = line.hasPrefix("!:ext") ? "`.\(name)`" : "`\(name)`"
      #expect(names.contains(registered))
    }
  }

  @Test("file(1) tells an archive, its version and length")
  func isUnderstood() throws {
    let tool = "/usr/bin/file"
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      // The other test checks the bytes.
      print("MagicFileTests: there is no \(tool) here, so that the magic is only parsed")
      return
    }
    let archive = FileManager.default.temporaryDirectory.appendingPathComponent("magic-\(UUID().uuidString).bin")
    defer { try? FileManager.default.removeItem(at: archive) }
    let bytes = try Corpus.file("valid/vectors/empty-archive.hex").bytes
    try Data(bytes).write(to: archive)
    let magic = SpecFiles.root.appendingPathComponent("Spec/restoration-archive.magic").path
    #expect(try output(tool, ["-b", "-m", magic, archive.path]) == "Restoration Archive, version 1.0, \(bytes.count) bytes\n")
    #expect(try output(tool, ["-b", "--mime-type", "-m", magic, archive.path]) == "application/vnd.restoration-archive\n")
  }

  private func output(_ tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
