import Foundation

/// Says on the terminal what is going on; on anything that is no terminal it is silent.
final class Progress {
  private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) != 0

  func show(_ text: String) {
    write("\r\u{1B}[K\(text)")
  }

  func clear() {
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    if isTerminal { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
