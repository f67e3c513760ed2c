/// Small valid archives, each of which demonstrates one feature.
enum Vectors {
  static var all: [Specimen] {
    structure + integers + floats + dates + strings + scalars + containers + sensitive + keys + header + origins + types + identifiers
      + sections + blocks
  }

  /// Returns an archive with one entry in its application state.
  static func value(_ name: String, _ value: DraftValue, _ reason: String) -> Specimen {
    .vector(name, Draft(application: ["value": value]), reason)
  }
}
