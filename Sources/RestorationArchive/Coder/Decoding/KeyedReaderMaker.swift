/// A keyed container that ``KeyedReaderMaker`` creates.
protocol MadeReader: KeyedDecodingContainerProtocol {
  init(fields: FieldReader)
}

/// A factory of keyed containers for one key type, like ``KeyedWriterMaker`` for encoding.
final class KeyedReaderMaker<Reader: MadeReader> {
  @inline(never)
  func container(of fields: FieldReader) -> KeyedDecodingContainer<Reader.Key> {
    KeyedDecodingContainer(Reader(fields: fields))
  }
}
