extension SlowChecker {
  /// Spec 7.2 A: the prefix.
  ///
  /// Returns the copy to continue with, or nil at a *stop*.
  mutating func checkPrefix() -> SlowPrefix? {
    let length = bytes.count

    // A1
    guard length > 0 else {
      report("empty-file", at: 0)
      return nil
    }
    // A2
    guard length >= 8 else {
      report("too-short", at: 0)
      return nil
    }

    // A3 to A5. If A3 or A5 fails, the copy at the end may replace the first one (R-7.1-1).
    let prefix: SlowPrefix
    let readsLastCopy: Bool
    if Array(bytes.prefix(8)) == SlowRegistry.magic {
      // A4
      guard let first = SlowPrefix(bytes, at: 0) else {
        report("truncated", at: length)
        return nil
      }
      if first.hasRightDigest {
        (prefix, readsLastCopy) = (first, false)
      } else {
        // A5
        report("prefix-damaged", at: 0)
        guard let last = usableLastCopy() else { return nil }
        (prefix, readsLastCopy) = (last, true)
      }
    } else {
      // A3
      guard let last = usableLastCopy() else {
        reportMagic()
        return nil
      }
      report("prefix-damaged", at: 0)
      (prefix, readsLastCopy) = (last, true)
    }

    // A6, R-4.2-3
    guard prefix.majorVersion == 1 else {
      report("unsupported-version", at: 8)
      return nil
    }
    // A7, R-4.2-4
    guard prefix.features == 0 else {
      report("unsupported-feature", at: 12)
      return nil
    }
    // A8, R-4.2-5
    guard prefix.fileLength <= 0xffff_ffff else {
      report("file-too-large", at: 16)
      return nil
    }
    // A9, R-4.1-2
    guard UInt64(length) >= prefix.fileLength else {
      report("truncated", at: length)
      return nil
    }
    // A10, R-4.1-2
    guard UInt64(length) <= prefix.fileLength else {
      report("trailing-bytes", at: Int(clamping: prefix.fileLength))
      return nil
    }
    // A11, R-4.2-6. The lengths have 32 bits, so the sum fits into 64.
    let aroundBody = 128 + 2 * prefix.metadataLength + 2 * prefix.treeLength
    guard prefix.metadataLength >= 192, prefix.metadataLength <= 16_777_216, aroundBody + 48 <= prefix.fileLength else {
      report("metadata-length", at: 24)
      return nil
    }
    // A12, R-4.2-7
    guard prefix.treeLength == SlowTreeShape(bodyLength: prefix.fileLength - aroundBody).length else {
      report("tree-length", at: 28)
      return nil
    }

    if !readsLastCopy {
      // A13, A14, R-4.1-1: one unit, so at most one finding. Neither stops.
      let offset = length - SlowPrefix.size
      if let last = SlowPrefix(bytes, at: offset), last.hasMagic, last.hasRightDigest {
        if last.bytes != prefix.bytes { report("prefix-copies-differ", at: offset) }
      } else {
        report("prefix-damaged", at: offset)
      }
    }
    return prefix
  }

  /// Returns the last 64 bytes if they can replace the first ones: the file has at least 128 bytes, and they begin with
  /// the magic, have the right digest, and give the actual length of the file.
  private func usableLastCopy() -> SlowPrefix? {
    guard bytes.count >= 2 * SlowPrefix.size, let last = SlowPrefix(bytes, at: bytes.count - SlowPrefix.size) else { return nil }
    return last.hasMagic && last.hasRightDigest && last.fileLength == UInt64(bytes.count) ? last : nil
  }

  /// A3, if the last copy cannot replace the first.
  private mutating func reportMagic() {
    let isDamagedForm = SlowRegistry.damagedMagics.contains { bytes.starts(with: $0) }
    if isDamagedForm, let place = zip(bytes, SlowRegistry.magic).enumerated().first(where: { $0.element.0 != $0.element.1 }) {
      report("text-mode-damage", at: place.offset)
    } else {
      report("bad-magic", at: 0)
    }
  }
}
