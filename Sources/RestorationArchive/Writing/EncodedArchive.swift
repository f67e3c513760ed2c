import ArchiveFormat
public import FoundationValues
import Locking
import Storage

/// A fully encoded archive that is assembled on first access to its bytes, on any thread.
///
///     let archive = try writer.finishEncoding()  // on the thread that the objects belong to
///     try archive.data()                         // on another
///
/// The archive no longer depends on the objects: it holds their state as it was when they were encoded.
public final class EncodedArchive: Sendable {
  fileprivate struct Parts {
    let assembler: ArchiveAssembler
    let surroundings: ArchiveSurroundings
    let keepsNodes: Bool
    let returned: AssemblerPool
  }

  private enum State {
    case encoded(Parts)
    case together(Result<Data, ArchiveError>)
  }

  private let state: Lock<State>
  /// The opened archive, if it was needed; after most saves it is never opened.
  private let reader = Lock<ArchiveReader?>(nil)
  /// Whether the bytes come from a writer rather than from a caller.
  private let isOfWriter: Bool

  /// Takes an assembler with no other references, until it is returned to the pool.
  init(_ assembler: ArchiveAssembler, _ surroundings: ArchiveSurroundings, keepsNodes: Bool, returned: AssemblerPool) {
    state = Lock(.encoded(Parts(assembler: assembler, surroundings: surroundings, keepsNodes: keepsNodes, returned: returned)))
    isOfWriter = true
  }

  /// Wraps the result of assembling an archive.
  init(_ result: Result<Data, ArchiveError>) {
    state = Lock(.together(result))
    isOfWriter = true
  }

  /// Wraps an archive that is already assembled.
  package init(_ data: Data) {
    state = Lock(.together(.success(data)))
    isOfWriter = false
  }

  deinit {
    // Released without an access to the bytes.
    state.withLock { state in
      guard case .encoded(let parts) = state else { return }
      if !parts.keepsNodes { parts.assembler.releaseNodes() }
      // Returned without preparation: `deinit` may run on the app's thread, and preparing would block it.
      parts.returned.put(parts.assembler, isReady: false)
    }
  }

  /// Whether the archive has been assembled.
  var isAssembled: Bool {
    state.withLock { if case .together = $0 { true } else { false } }
  }

  /// Returns the bytes of the archive, which are assembled on the first call.
  ///
  /// - Throws: `file-too-large`.
  /// - Complexity: On the first call O(n log f) in the number of nodes, where f is the largest number of siblings, and
  ///   O(n) in the bytes.
  public func data() throws(ArchiveError) -> Data {
    try state.withLock { (state) throws(ArchiveError) in
      switch state {
      case .together(let result): return try result.get()
      case .encoded(let parts):
        let result = parts.assemble()
        state = .together(result)
        return try result.get()
      }
    }
  }
}

extension EncodedArchive {
  /// Wraps the bytes of an archive.
  ///
  /// - Throws: An error if they cannot be opened.
  package convenience init(opening bytes: [UInt8]) throws(ArchiveError) {
    let opened = try ArchiveReader(bytes)
    self.init(Data(bytes))
    reader.withLock { $0 = opened }
  }

  /// Returns the opened archive.
  ///
  /// - Throws: `file-too-large`; an error for bytes of a caller that are not an archive.
  package func opened() throws(ArchiveError) -> ArchiveReader {
    try reader.withLock { (reader) throws(ArchiveError) in
      if let reader { return reader }
      let opened = try ArchiveReader(data())
      reader = opened
      return opened
    }
  }

  /// The digest of the content; that of a writer's output is read from the bytes without opening them.
  ///
  /// - Throws: The errors of ``opened()``.
  package var digest: ContentDigest {
    get throws(ArchiveError) {
      if isOfWriter, let digest = ContentDigest(ofArchive: try data()) { return digest }
      return try opened().contentDigest
    }
  }
}

extension EncodedArchive.Parts {
  /// Assembles the archive and returns the assembler to the pool, either ready for the next archive or without the
  /// memory of its nodes.
  fileprivate func assemble() -> Result<Data, ArchiveError> {
    let result = Result { () throws(ArchiveError) in try assembler.archive(with: surroundings) }
    if keepsNodes { assembler.makeReady() } else { assembler.releaseNodes() }
    returned.put(assembler, isReady: keepsNodes)
    return result
  }
}

extension Data {
  /// Takes ownership of the bytes without copying them, and leaves the buffer empty.
  init(taking buffer: borrowing OutputBuffer) {
    let memory = unsafe buffer.takeMemory()
    guard let address = unsafe memory.bytes.baseAddress else {
      self.init()
      return
    }
    nonisolated(unsafe) let block = unsafe memory.block
    unsafe self.init(bytesNoCopy: address, count: memory.bytes.count, deallocator: .custom { _, _ in unsafe RawMemory.deallocate(block) })
  }
}

/// A pool for the assemblers of finished archives, to be used again; they remember keys and types.
final class AssemblerPool: Sendable {
  /// In an app that saves faster than archives are written, one assembler is being assembled and one is waiting while a
  /// third is being encoded.
  private static let maximumKept = 2

  private let assemblers = Lock<[ArchiveAssembler]>([])

  /// Adds an assembler to the pool, or discards it.
  ///
  /// An assembler that is not ready still holds the content written to it. It is therefore kept only if the pool is
  /// empty, and is the first to be discarded when the pool is full.
  func put(_ assembler: ArchiveAssembler, isReady: Bool) {
    let dropped = assemblers.withLock { assemblers -> ArchiveAssembler? in
      guard isReady || assemblers.isEmpty else { return assembler }
      assemblers.append(assembler)
      return assemblers.count > Self.maximumKept ? assemblers.removeFirst() : nil
    }
    // Deallocated outside the lock.
    _ = consume dropped
  }

  /// Removes and returns an assembler, if there is one.
  func take() -> ArchiveAssembler? {
    assemblers.withLock { $0.popLast() }
  }
}

extension ArchiveAssembler {
  /// Assembles the archive; errors carry paths.
  func archive(with surroundings: ArchiveSurroundings) throws(ArchiveError) -> Data {
    try ArchiveError.wrapping(path: path(of:)) { () throws(FormatError) in Data(taking: try finish(surroundings)) }
  }

  /// Returns the path of the node that an error is about, if it is about one.
  func path(of error: FormatError) -> RestorationPath? { error.node.map { path(of: $0) } }

  /// Returns the path of an added node; the empty path if there is no node with this number.
  func path(of number: Int) -> RestorationPath {
    RestorationPath(validated: identifiers(to: number))
  }
}
