/// The small valid archives, each of which shows one thing.
enum Vectors {
  static var all: [Specimen] {
    structure + integers + floats + dates + strings + scalars + containers + sensitive + keys + header + origins + types + identifiers
      + sections + blocks
  }

  /// An archive whose application state has one entry.
  static func value(_ name: String, _ value: DraftValue, _ reason: String) -> Specimen {
    .vector(name, Draft(application: ["value": value]), reason)
  }
}
