/// All tables of the corpus.
enum Tables {
  /// Files made from a draft.
  static var specimens: [Specimen] { Vectors.all + Faults.all + Forward.all + Limits.all + Damages.bases }

  /// Files made by changing bytes of another.
  static var damages: [Damage] { Damages.all }

  /// Files that are no archives.
  static func plainFiles() throws -> [PlainFile] {
    try Faults.noArchives + TextModes.all()
  }
}
