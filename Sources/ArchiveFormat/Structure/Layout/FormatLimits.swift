/// The limits of the format, which every valid file keeps (Spec §10).
///
/// Those of the file's parts are in ``FileLayout``.
package enum FormatLimits {
  /// The length of an identifier in bytes (rule R-3.1-1).
  package static let identifier = 1...1024
  /// The most components of a path, and the depth of the tree (rule R-3.1-2).
  package static let pathComponents = 256
  /// The length of a key in bytes; a key of state or attributes has at least one (Spec §6.2, rule R-6.2-4).
  package static let key = 0...65_535
  /// The length of a key in the key table (rule R-4.3-13).
  package static let tableKey = 0...63
  /// The most keys in the key table (rule R-4.3-13).
  package static let keyTable = 1024
  /// The length of a header key in bytes (Spec §4.3.2).
  package static let headerKey = 1...255
  /// The most entries of the volatile header, of the header, and of the directory (rule R-4.3-14).
  package static let headerEntries = 1024
  /// The most sections (rule R-4.3-14).
  package static let sections = 1024
  /// The length of a type tag in bytes (Spec §4.3.4).
  package static let typeTag = 1...1024
  /// The length of either name of a provider reference in bytes (Spec §6.3).
  package static let providerName = 1...1024
  /// The length of the bundle version of an origin in bytes (Spec §4.3.3).
  package static let originBundleVersion = 0...1024
  /// The most types, and the most origins (rules R-4.3-11, R-4.3-12): their indexes have 16 bits.
  package static let typeTable = 65_535
  /// How deep arrays and dictionaries are nested (rule R-6.1-9).
  package static let nesting = 128
}
