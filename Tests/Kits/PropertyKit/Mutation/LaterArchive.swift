import ArchiveFormat

/// Archives as a later minor version of the format may have them.
public enum LaterArchive {
  /// The content of data values that ``make(of:)`` takes.
  public static let content = Array("later".utf8)

  /// An archive as it is, but of the minor version 1, and with each data value of the bytes of ``content`` turned into one of an unknown type.
  ///
  /// All checksums are right. Nil if the bytes are no archive.
  public static func make(of bytes: [UInt8]) -> [UInt8]? {
    guard var archive = MendableArchive(bytes) else { return nil }
    archive.prefix.minorVersion = 1
    let value = [0x07, UInt8(content.count)] + content
    for start in archive.body.indices.dropLast(value.count - 1) where archive.body[start...].starts(with: value) {
      archive.body[start] = 0xC0
    }
    return archive.assembled()
  }
}
