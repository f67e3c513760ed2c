/// Columns of text.
struct TextTable {
  let rows: [[String]]

  /// The rows, one a line.
  var text: String {
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], cell.count)
      }
    }
    return rows.map { row in
      let line = row.enumerated().map { $0.element + String(repeating: " ", count: widths[$0.offset] - $0.element.count) }
      return line.joined(separator: "  ").trimmingSuffix(while: { $0 == " " }) + "\n"
    }.joined()
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
