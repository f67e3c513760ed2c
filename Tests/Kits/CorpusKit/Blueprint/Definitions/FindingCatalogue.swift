/// The codes that a checker can report, with their kinds and rules, as listed in the Spec's registry.
package enum FindingCatalogue {
  /// The rules that each code may cite.
  package static let rules: [String: [String]] = Dictionary(uniqueKeysWithValues: table.map { ($0.0, $0.2) })
  /// The kind of each code.
  package static let outcomes: [String: Outcome] = Dictionary(uniqueKeysWithValues: table.map { ($0.0, $0.1) })

  private static let table: [(String, Outcome, [String])] = file + metadata + nodes + states

  private static let file: [(String, Outcome, [String])] = [
    ("empty-file", .malformed, ["R-4.2-1"]), ("too-short", .malformed, ["R-4.2-1"]), ("bad-magic", .malformed, ["R-4.2-1"]),
    ("text-mode-damage", .damaged, ["R-4.2-1"]), ("truncated", .damaged, ["R-4.1-2"]), ("trailing-bytes", .malformed, ["R-4.1-2"]),
    ("prefix-damaged", .damaged, ["R-4.2-2"]), ("prefix-copies-differ", .invalid, ["R-4.1-1"]),
    ("unsupported-version", .unsupported, ["R-4.2-3"]), ("unsupported-feature", .unsupported, ["R-4.2-4"]),
    ("file-too-large", .limit, ["R-4.2-5"]), ("metadata-length", .malformed, ["R-4.2-6"]), ("tree-length", .malformed, ["R-4.2-7"]),
    ("metadata-damaged", .damaged, ["R-4.3-1"]), ("tree-damaged", .damaged, ["R-4.4-1"]),
    ("blocks-unverifiable", .damaged, ["R-4.4-3"]), ("block-damaged", .damaged, ["R-4.4-2"]), ("tree-padding", .invalid, ["R-4.4-2"]),
    ("unexpected-end", .malformed, ["R-5.3-1"]), ("length-past-end", .malformed, ["R-5.3-1"]),
    ("varint-too-large", .malformed, ["R-5.1-2"]), ("varint-not-minimal", .invalid, ["R-5.1-1"]),
    ("invalid-utf8", .malformed, ["R-5.2-1"]), ("string-length", .invalid, ["R-5.2-2"]),
  ]

  private static let metadata: [(String, Outcome, [String])] = [
    ("section-code", .malformed, ["R-4.3-3"]), ("section-order", .invalid, ["R-4.3-4"]), ("section-lengths", .malformed, ["R-4.3-5"]),
    ("node-table-length", .malformed, ["R-4.3-6"]), ("unknown-critical-section", .unsupported, ["R-4.3-7"]),
    ("header-order", .invalid, ["R-4.3-8"]), ("header-group", .invalid, ["R-4.3-9"]),
    ("header-padding", .invalid, ["R-4.3-15"]), ("header-type", .invalid, ["R-3.3-2"]),
    ("unknown-header-key", .invalid, ["R-3.3-1"]), ("origin-flags", .invalid, ["R-4.3-10"]), ("origin-order", .invalid, ["R-4.3-11"]),
    ("type-order", .invalid, ["R-4.3-12"]), ("key-table-order", .invalid, ["R-4.3-13"]),
    ("table-size", .limit, ["R-4.3-11", "R-4.3-12", "R-4.3-13", "R-4.3-14"]), ("metadata-trailing-bytes", .malformed, ["R-4.3-2"]),
    ("link-header", .invalid, ["R-15.1-1", "R-15.1-2"]), ("link-entry", .invalid, ["R-15.2-1"]),
    ("link-record", .invalid, ["R-15.2-2"]), ("link-place", .invalid, ["R-15.2-4"]), ("link-cycle", .invalid, ["R-15.2-5"]),
    ("unused-origin", .invalid, ["R-4.3-11"]), ("unused-type", .invalid, ["R-4.3-12"]), ("unused-key", .invalid, ["R-4.3-13"]),
  ]

  private static let nodes: [(String, Outcome, [String])] = [
    ("root-record", .invalid, ["R-6.4-1"]), ("child-range", .invalid, ["R-6.4-2", "R-6.4-3"]),
    ("parent-mismatch", .invalid, ["R-6.4-4"]), ("path-depth", .limit, ["R-6.4-10", "R-6.1-7", "R-3.1-2"]),
    ("saved-order", .invalid, ["R-6.4-5", "R-15.2-3"]), ("type-index", .invalid, ["R-6.4-6"]), ("origin-index", .invalid, ["R-6.4-6"]),
    ("node-flags", .invalid, ["R-6.4-7"]), ("state-range", .malformed, ["R-6.4-8"]), ("identifier-form", .invalid, ["R-6.5-1"]),
    ("identifier-range", .malformed, ["R-6.5-2"]), ("duplicate-identifier", .invalid, ["R-3.1-3"]),
    ("sibling-order", .invalid, ["R-6.4-9"]), ("string-order", .invalid, ["R-6.5-3"]), ("duplicate-string", .invalid, ["R-6.5-3"]),
    ("unused-bytes", .invalid, ["R-6.3-2", "R-6.5-3", "R-15.2-1"]), ("state-order", .invalid, ["R-6.3-2"]),
  ]

  private static let states: [(String, Outcome, [String])] = [
    ("empty-attributes", .invalid, ["R-6.3-1"]), ("key-index", .malformed, ["R-6.2-1"]), ("key-inline", .invalid, ["R-6.2-2"]),
    ("empty-key", .invalid, ["R-6.2-4"]), ("unknown-attribute", .invalid, ["R-3.3-3"]), ("duplicate-key", .invalid, ["R-6.2-3"]),
    ("key-order", .invalid, ["R-6.2-3"]), ("sensitive-misplaced", .invalid, ["R-6.1-8"]), ("invalid-tag", .malformed, ["R-6.1-1"]),
    ("unknown-value-type", .unsupported, ["R-6.1-1"]), ("integer-not-minimal", .invalid, ["R-6.1-2"]),
    ("integer-range", .invalid, ["R-6.1-3"]), ("float-not-minimal", .invalid, ["R-6.1-4"]),
    ("string-not-minimal", .invalid, ["R-6.1-5"]), ("empty-reference", .invalid, ["R-6.1-7"]), ("nesting-depth", .limit, ["R-6.1-9"]),
  ]
}
