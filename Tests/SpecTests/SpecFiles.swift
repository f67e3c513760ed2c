import Foundation

/// The files of the package that the tests of the Spec read.
enum SpecFiles {
  /// The root of the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the sorted paths of all files in a folder that have this suffix.
  static func paths(under folder: String, ending: String) -> [String] {
    let url = root.appendingPathComponent(folder)
    guard let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil) else { return [] }
    return files.compactMap { ($0 as? URL)?.path }.filter { $0.hasSuffix(ending) }.map { String($0.dropFirst(root.path.count + 1)) }
      .sorted()
  }

  /// Returns the contents of all strings in Swift code, one line for each line with strings, without comments.
  ///
  /// It supports neither multi-line strings nor `//` within a string, which the tests do not need.
  static func strings(ofSwift code: String) -> String {
    code.split(separator: "\n").map { line in
      let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
      return code.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        .map(\.element).joined(separator: " ")
    }.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
  }

  /// Returns the rows of all tables under a heading of a document, with trimmed cells and without header rows.
  static func rows(of document: String, under heading: String) throws -> [[String]] {
    var rows: [[String]] = []
    var isInside = false
    var isHeader = true
    for line in try text(document).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#") { isInside = line.drop { $0 == "#" || $0 == " " } == heading }
      guard isInside, line.hasPrefix("|") else {
        isHeader = true
        continue
      }
      if line.hasPrefix("|---") || line.hasPrefix("|:") { isHeader = false } else if !isHeader { rows.append(cells(line)) }
    }
    return rows
  }

  private static func cells(_ line: Substring) -> [String] {
    line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { cell in
      cell.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "")
    }
  }
}
