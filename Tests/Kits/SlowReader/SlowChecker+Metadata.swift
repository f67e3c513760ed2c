extension SlowChecker {
  /// Spec 7.2 C: the metadata, one unit; any finding stops.
  mutating func checkMetadata(_ prefix: SlowPrefix, _ layout: SlowLayout, at offset: Int) -> SlowMetadata? {
    var reader = SlowMetadataReader(bytes, at: offset, layout, minorVersion: prefix.minorVersion)
    do {
      return try reader.read()
    } catch {
      report(error)
      return nil
    }
  }
}
