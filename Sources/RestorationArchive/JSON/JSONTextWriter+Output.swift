extension JSONTextWriter {
  /// Writes the buffered text to `output`, if there are more than 64 KiB.
  package mutating func flush(to output: inout some TextOutputStream) {
    if byteCount > 1 << 16 { output.write(takeText()) }
  }

  /// Writes a path as a string, in pieces, because a path can take a quarter of a megabyte.
  package mutating func path(_ path: RestorationPath, to output: inout some TextOutputStream) {
    raw("\"")
    for piece in path.pieces {
      stringContent(piece)
      flush(to: &output)
    }
    raw("\"")
  }

  /// Returns the text written since the last call.
  package mutating func takeText() -> String {
    String(decoding: takeBytes(), as: UTF8.self)
  }

  /// Writes an array element by element, so that it is never in memory as a whole.
  package mutating func array<Elements: Sequence, Output: TextOutputStream>(
    _ elements: Elements, to output: inout Output, _ body: (inout JSONTextWriter, Elements.Element, inout Output) -> Void
  ) {
    array { writer in
      for element in elements {
        writer.element { body(&$0, element, &output) }
        writer.flush(to: &output)
      }
    }
  }

  // MARK: Values

  /// Writes the entries of a state or dictionary as an object, in pieces.
  package mutating func entries(
    _ dictionary: ArchiveDictionary, sensitive: SensitiveValues, to output: inout some TextOutputStream
  ) {
    object { writer in
      for entry in dictionary {
        writer.member(entry.key) { writer in
          guard entry.isSensitive else { return writer.value(entry.value, sensitive: sensitive, to: &output) }
          writer.tagged("$sensitive") { writer in
            switch sensitive {
            case .reveal: writer.value(entry.value, sensitive: sensitive, to: &output)
            case .redact: writer.raw("null")
            }
          }
        }
        writer.flush(to: &output)
      }
    }
  }

  /// Writes a value (section 6 of `Spec/json.md`), with containers in pieces.
  package mutating func value(_ value: ArchiveValue, sensitive: SensitiveValues, to output: inout some TextOutputStream) {
    switch value {
    case .array(let elements):
      array(elements, to: &output) { $0.value($1, sensitive: sensitive, to: &$2) }
    case .dictionary(let dictionary) where Self.looksTagged(dictionary):
      tagged("$dictionary") { $0.entries(dictionary, sensitive: sensitive, to: &output) }
    case .dictionary(let dictionary): entries(dictionary, sensitive: sensitive, to: &output)
    default: self.value(value, sensitive: sensitive)
    }
  }
}
