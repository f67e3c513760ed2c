import SystemLibrary

/// Unbuffered standard output.
enum FileHandleOutput {
  static func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe systemWrite($0) }
  }
}

@unsafe private func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int { unsafe write(1, bytes.baseAddress, bytes.count) }
