/// A keyed container that ``KeyedWriterMaker`` creates.
protocol MadeWriter: KeyedEncodingContainerProtocol {
  init(encoder: ArchiveEncoder, identity: Int)
}

/// A factory of keyed containers for one key type.
///
/// Code generic in the key type looks up the container's metadata and conformance for each container. An object of a
/// generic class already has the metadata of its parameters.
final class KeyedWriterMaker<Writer: MadeWriter> {
  // If inlined, the code would become part of the generic caller and repeat the lookup.
  @inline(never)
  func container(of encoder: ArchiveEncoder, identity: Int) -> KeyedEncodingContainer<Writer.Key> {
    KeyedEncodingContainer(Writer(encoder: encoder, identity: identity))
  }
}
