/// The names in the layout of a restoration archive as a keyed archive (`Spec/keyed-archive.md`, section 4).
enum KeyedLayout {
  /// The named value that holds the archive.
  static let root = "root"
  /// The major version, a member of the archive.
  static let version = "restorationArchive"

  /// The tags of values that Foundation has no class for.
  static let reference = "$reference"
  static let sensitive = "$sensitive"
  static let url = "$url"
  /// Only in a plain property list, in which a URL has no class either.
  static let uuid = "$uuid"
  static let dictionary = "$dictionary"
  /// The tag of a string that would be taken for nil.
  static let null = "$null"
}
