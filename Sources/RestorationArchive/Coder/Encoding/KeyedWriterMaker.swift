/// A container for fields as ``KeyedWriterMaker`` makes them.
protocol MadeWriter: KeyedEncodingContainerProtocol {
  init(encoder: ArchiveEncoder, identity: Int)
}

/// Makes the containers for one type of keys.
///
/// Code that is generic in the type of keys looks up the metadata and the conformance of the container's type whenever it makes one; an
/// object of a generic class has those of its parameters at hand.
final class KeyedWriterMaker<Writer: MadeWriter> {
  // In line, it would be the caller's code, and look them up.
  @inline(never)
  func container(of encoder: ArchiveEncoder, identity: Int) -> KeyedEncodingContainer<Writer.Key> {
    KeyedEncodingContainer(Writer(encoder: encoder, identity: identity))
  }
}
