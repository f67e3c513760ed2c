/// A container for fields as ``KeyedReaderMaker`` makes them.
protocol MadeReader: KeyedDecodingContainerProtocol {
  init(fields: FieldReader)
}

/// Makes the containers for one type of keys, as ``KeyedWriterMaker`` does for encoding.
final class KeyedReaderMaker<Reader: MadeReader> {
  @inline(never)
  func container(of fields: FieldReader) -> KeyedDecodingContainer<Reader.Key> {
    KeyedDecodingContainer(Reader(fields: fields))
  }
}
