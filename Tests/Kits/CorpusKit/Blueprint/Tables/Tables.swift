/// All tables of the corpus.
enum Tables {
  /// Files made from a draft.
  static var specimens: [Specimen] { Vectors.all + Faults.all + Forward.all + Limits.all + Damages.bases + Combinations.all }

  /// Files made by changing bytes of another.
  static var damages: [Damage] { Damages.all + Combinations.damages }

  /// Files that are no archives.
  static func plainFiles() throws -> [PlainFile] {
    try Faults.noArchives + TextModes.all()
  }
}
