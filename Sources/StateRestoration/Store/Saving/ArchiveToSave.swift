import RestorationArchive

/// An archive on its way into the store, which is not opened if it turns out that it need not be written.
///
/// Of what a writer has put together the digest is known without opening it, and most saves find that nothing has changed.
struct ArchiveToSave {
  private enum Form {
    case encoded(EncodedArchive)
    case opened([UInt8], ArchiveReader)
  }

  /// Identifies the content.
  let digest: ContentDigest
  private var form: Form

  /// Opens bytes of which nothing is known.
  ///
  /// - Throws: ``StoreError/notAnArchive(_:)``.
  init(_ bytes: [UInt8]) throws(StoreError) {
    let reader = try Self.telling { () throws(ArchiveError) in try ArchiveReader(bytes) }
    self.init(reader.contentDigest, .opened(bytes, reader))
  }

  /// Takes what was encoded, and has it put together.
  ///
  /// - Throws: ``StoreError/notAnArchive(_:)``.
  init(_ encoded: EncodedArchive) throws(StoreError) {
    if let digest = try Self.telling({ () throws(ArchiveError) in try encoded.writtenDigest }) {
      self.init(digest, .encoded(encoded))
    } else {
      try self.init(Self.bytes(of: encoded))
    }
  }

  private init(_ digest: ContentDigest, _ form: Form) {
    self.digest = digest
    self.form = form
  }

  /// The bytes, and the archive in them; opened the first time.
  ///
  /// - Throws: ``StoreError/notAnArchive(_:)``.
  mutating func opened() throws(StoreError) -> (bytes: [UInt8], reader: ArchiveReader) {
    switch form {
    case .opened(let bytes, let reader): return (bytes, reader)
    case .encoded(let encoded):
      self = try ArchiveToSave(Self.bytes(of: encoded))
      return try opened()
    }
  }

  private static func bytes(of encoded: EncodedArchive) throws(StoreError) -> [UInt8] {
    try telling { () throws(ArchiveError) in [UInt8](try encoded.data()) }
  }

  /// Tells what is wrong with an archive as an error of the store.
  private static func telling<Result>(_ body: () throws(ArchiveError) -> Result) throws(StoreError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw .notAnArchive(error)
    }
  }
}
