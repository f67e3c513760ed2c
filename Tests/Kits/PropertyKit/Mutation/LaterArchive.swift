import ArchiveFormat

/// Archives as a later minor version of the format might write them.
public enum LaterArchive {
  /// The content of the data values that ``make(of:)`` replaces.
  public static let content = Array("later".utf8)

  /// Returns an archive changed to minor version 1, with each data value equal to ``content`` turned into a value of an
  /// unknown type.
  ///
  /// All checksums are correct. Returns nil if the bytes are not an archive.
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
