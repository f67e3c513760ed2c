import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// The sources of archive bytes: files, pipes and custom sources, and how their failures are reported.
@Suite struct ArchiveByteSourceTests {
  private static let tree = ArchiveTree(nodes: (0..<2000).map { ArchiveNode("node-\($0)", state: ["text": .string("value \($0)")]) })

  /// A configurable source.
  private struct Source: ArchiveByteSource {
    let bytes: [UInt8]
    var lengthError: ArchiveError?
    var readError: ArchiveError?
    /// The offset from which reading fails.
    var failsFrom = 0
    /// The number of bytes delivered beyond those requested.
    var excess = 0

    func byteCount() throws(ArchiveError) -> Int {
      if let lengthError { throw lengthError }
      return bytes.count
    }

    func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
      if let readError, range.upperBound > failsFrom { throw readError }
      return Array(bytes[range.clamped(to: 0..<bytes.count)]) + [UInt8](repeating: 0xEE, count: excess)
    }
  }

  /// An error that sources throw.
  private static func error() throws -> ArchiveError {
    try #require(throws: ArchiveError.self) { try FileByteSource(path: "/nonexistent/file") }
  }

  @Test("a source without a length, or that cannot be read, causes an error that contains the source's own error")
  func reportsFailures() throws {
    let bytes = [UInt8](try Self.tree.encoded())
    let cause = try Self.error()
    for source in [Source(bytes: bytes, lengthError: cause), Source(bytes: bytes, readError: cause)] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveReader(from: source) }
      #expect(error?.code == .inputOutput)
      #expect(error?.description == cause.description)
    }
  }

  @Test("a source that starts failing later fails only the calls that need it")
  func failsLater() throws {
    let bytes = [UInt8](try Self.tree.encoded())
    let source = Source(bytes: bytes, readError: try Self.error(), failsFrom: bytes.count / 10 * 9)
    // Opening a source whose end, with the second copies, is unreadable needs only the first copies.
    let reader = try ArchiveReader(from: source)
    var codes: Set<String> = []
    for node in Self.tree.nodes {
      do {
        let state = try reader.node(at: RestorationPath(components: [node.identifier]))?.state()
        #expect(state == node.state)
        codes.insert("read")
      } catch {
        codes.insert(error.code.rawValue)
      }
    }
    #expect(codes == ["read", "input-output"])
  }

  @Test("excess bytes are ignored")
  func ignoresExcess() throws {
    let source = Source(bytes: [UInt8](try Self.tree.encoded()), excess: 9)
    #expect(try ArchiveTree(decoding: ArchiveReader(from: source)) == Self.tree)
  }

  @Test("a file is read completely, and nothing beyond its end")
  func readsFiles() throws {
    let folder = try TemporaryFolder()
    let bytes = [UInt8](try Self.tree.encoded())
    try Data(bytes).write(to: folder.url("archive"))
    let source = try FileByteSource(path: folder.url("archive").path)
    #expect(try source.byteCount() == bytes.count)
    #expect(try source.readAll() == bytes)
    #expect(try source.read((bytes.count - 3)..<(bytes.count + 5)) == Array(bytes.suffix(3)))
    #expect(try source.read(bytes.count..<(bytes.count + 5)) == [])
    #expect(try ArchiveTree(decoding: ArchiveReader(contentsOfFile: folder.url("archive").path)) == Self.tree)
  }

  @Test("a path that is not a file is rejected when opened", arguments: ["", "absent", "folder"])
  func refuses(_ name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: false)
    let path = name.isEmpty ? "" : folder.url(name).path
    let error = #expect(throws: ArchiveError.self) { try FileByteSource(path: path) }
    #expect(error?.code == .inputOutput)
    #expect(error?.found == (name == "folder" ? "is a directory" : "no such file or directory"))
    #expect(#expect(throws: ArchiveError.self) { try ArchiveReader(contentsOfFile: path) } == error)
  }

  @Test("a source without a length, such as a pipe, is read to its end", arguments: [0, 1, 60_000])
  func readsPipes(_ count: Int) throws {
    let pipe = Pipe()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    // A pipe buffers this many bytes without a reader.
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try pipe.fileHandleForWriting.close()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    #expect(ByteStream.kind(ofPath: path) == .pipe)
    #expect(#expect(throws: ArchiveError.self) { try FileByteSource(path: path) }?.found == "is a pipe")
    #expect(try ByteStream.readAll(path: path, atMost: 60_000) == bytes)
  }

  @Test("a stream or file longer than the limit is an error", arguments: [0, 1, 65_536, 70_000])
  func readsSoMuch(_ limit: Int) throws {
    let stream = #expect(throws: ArchiveError.self) { try ByteStream.readAll(path: "/dev/zero", atMost: limit) }
    #expect(stream?.found == "is longer than \(limit) bytes")
    let folder = try TemporaryFolder()
    try Data(count: limit + 1).write(to: folder.url("file"))
    let source = try FileByteSource(path: folder.url("file").path)
    let file = #expect(throws: ArchiveError.self) { try source.readAll(atMost: limit) }
    #expect(file?.found == "is longer than \(limit) bytes")
    #expect(try source.readAll(atMost: limit + 1).count == limit + 1)
  }

  @Test("a sparse file of 900 GB is read in place, without memory for the rest")
  func readsSparseFiles() throws {
    let folder = try TemporaryFolder()
    try Data([1, 2, 3]).write(to: folder.url("file"))
    let handle = try FileHandle(forWritingTo: folder.url("file"))
    try handle.truncate(atOffset: 900_000_000_000)
    try handle.close()
    let source = try FileByteSource(path: folder.url("file").path)
    #expect(try source.byteCount() == 900_000_000_000)
    #expect(throws: ArchiveError.self) { try source.readAll() }
    #expect(try source.read(899_999_999_999..<Int.max) == [0])
    #expect(try source.read(0..<4) == [1, 2, 3, 0])
  }
}
