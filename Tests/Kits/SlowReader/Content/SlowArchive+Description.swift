extension SlowArchive: CustomStringConvertible {
  /// The content as text that is the same for equal content: one line per value, indented by two spaces per level.
  ///
  /// Text is quoted; `"`, `\` and everything but printable ASCII is written as `\x` and two digits. Other bytes and the
  /// bits of floating-point numbers are hexadecimal digits. Everything is included except the table of origins, whose
  /// entries appear at their nodes. A part without content has no line.
  public var description: String {
    var lines = ["archive 1.\(minorVersion)", "content digest \(Self.hexadecimal(contentDigest))"]
    for (title, entries) in [("volatile header", volatileHeader), ("header", header)] where !entries.isEmpty {
      lines.append(title)
      for entry in entries {
        lines += Self.lines(of: entry.value, after: Self.quoted(entry.key) + " = ", depth: 1)
      }
    }
    lines += Self.lines(of: applicationState, titled: "application state", depth: 0)
    if !nodes.isEmpty {
      lines.append("nodes")
      for node in nodes { lines += Self.lines(of: node, depth: 1) }
    }
    for section in sections {
      lines.append("section \(Self.quoted(section.code)) \(Self.hexadecimal(section.bytes))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of node: SlowNode, depth: Int) -> [String] {
    let inner = indentation(depth + 1)
    var lines = [indentation(depth) + quoted(node.identifier)]
    if let type = node.type {
      lines.append(inner + "type \(quoted(type.tag)) \(type.schemaVersion)")
    }
    if let origin = node.origin {
      let version = origin.bundleVersion.map(quoted) ?? "unknown"
      let timestamp = origin.timestamp.map(hexadecimal) ?? "unknown"
      lines.append(inner + "origin \(version) \(timestamp) \(origin.sessionsCarried)")
    }
    if let provider = node.provider {
      lines.append(inner + "provider \(quoted(provider.name)) \(quoted(provider.item))")
    }
    lines += Self.lines(of: node.attributes, titled: "attributes", depth: depth + 1)
    lines += Self.lines(of: node.state, titled: "state", depth: depth + 1)
    if !node.children.isEmpty {
      lines.append(inner + "children")
      for child in node.children { lines += Self.lines(of: child, depth: depth + 2) }
    }
    return lines
  }

  private static func lines(of entries: [SlowEntry], titled title: String, depth: Int) -> [String] {
    guard !entries.isEmpty else { return [] }
    return [indentation(depth) + title] + lines(of: entries, depth: depth + 1)
  }

  private static func lines(of entries: [SlowEntry], depth: Int) -> [String] {
    entries.flatMap { entry in
      lines(of: entry.value, after: quoted(entry.key) + (entry.isSensitive ? " sensitive = " : " = "), depth: depth)
    }
  }

  private static func lines(of value: SlowValue, after beginning: String, depth: Int) -> [String] {
    let line = indentation(depth) + beginning
    switch value {
    case .null: return [line + "null"]
    case .bool(let bool): return [line + "bool \(bool)"]
    case .integer(let isNegative, let magnitude): return [line + "integer \(isNegative ? "-" : "")\(magnitude)"]
    case .float64(let bits): return [line + "float64 \(hexadecimal(bits))"]
    case .string(let text): return [line + "string \(quoted(text))"]
    case .data(let bytes): return [line + "data \(hexadecimal(bytes))"]
    case .date(let bits): return [line + "date \(hexadecimal(bits))"]
    case .uuid(let bytes): return [line + "uuid \(hexadecimal(bytes))"]
    case .url(let text): return [line + "url \(quoted(text))"]
    case .array(let elements): return [line + "array"] + elements.flatMap { lines(of: $0, after: "", depth: depth + 1) }
    case .dictionary(let entries): return [line + "dictionary"] + lines(of: entries, depth: depth + 1)
    case .reference(let components): return [line + "reference \(components.map(quoted).joined(separator: " "))"]
    case .unknown(let tag, let bytes): return [line + "unknown \(hexadecimal([tag])) \(hexadecimal(bytes))"]
    }
  }

  private static func indentation(_ depth: Int) -> String {
    String(repeating: "  ", count: depth)
  }

  private static func quoted(_ text: [UInt8]) -> String {
    var result = "\""
    for byte in text {
      let isPlain = (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      result += isPlain ? String(UnicodeScalar(byte)) : "\\x" + hexadecimal([byte])
    }
    return result + "\""
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }
}
