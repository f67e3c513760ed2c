import RestorationArchive

/// An archive to be saved, opened only if it must be written.
///
/// The digest of a writer's output is known without opening it, and most saves find unchanged content.
struct ArchiveToSave {
  private enum Form {
    case encoded(EncodedArchive)
    case opened([UInt8], ArchiveReader)
  }

  /// The digest of the content.
  let digest: ContentDigest
  private var form: Form

  /// Opens an archive from bytes.
  ///
  /// - Throws: ``StoreError/notAnArchive(_:)``.
  init(_ bytes: [UInt8]) throws(StoreError) {
    let reader = try Self.wrappingErrors { () throws(ArchiveError) in try ArchiveReader(bytes) }
    self.init(reader.contentDigest, .opened(bytes, reader))
  }

  /// Assembles an encoded archive.
  ///
  /// - Throws: ``StoreError/notAnArchive(_:)``.
  init(_ encoded: EncodedArchive) throws(StoreError) {
    if let digest = try Self.wrappingErrors({ () throws(ArchiveError) in try encoded.writtenDigest }) {
      self.init(digest, .encoded(encoded))
    } else {
      try self.init(Self.bytes(of: encoded))
    }
  }

  private init(_ digest: ContentDigest, _ form: Form) {
    self.digest = digest
    self.form = form
  }

  /// The bytes and their reader; the archive is opened on first use.
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
    try wrappingErrors { () throws(ArchiveError) in [UInt8](try encoded.data()) }
  }

  /// Converts an archive error to a store error.
  private static func wrappingErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(StoreError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw .notAnArchive(error)
    }
  }
}
