/// The limits of the format, met by every valid file (Spec §10).
package enum FormatLimits {
  /// The length of the longest file (rule R-4.2-5).
  package static let longestFile: UInt64 = 0xFFFF_FFFF
  /// The length of the longest metadata (rule R-4.2-6).
  package static let longestMetadata: UInt64 = 1 << 24
  /// The length of an identifier in bytes (rule R-3.1-1).
  package static let identifier = 1...1024
  /// The maximum number of components of a path, and the maximum depth of the tree (rule R-3.1-2).
  package static let pathComponents = 256
  /// The length of a key in bytes; a key of state or attributes has at least one byte (Spec §6.2, rule R-6.2-4).
  package static let key = 0...65_535
  /// The length of a key in the key table (rule R-4.3-13).
  package static let tableKey = 0...63
  /// The maximum number of keys in the key table (rule R-4.3-13).
  package static let keyTable = 1024
  /// The length of a header key in bytes (Spec §4.3.2).
  package static let headerKey = 1...255
  /// The maximum number of entries of the volatile header, of the header, and of the directory (rule R-4.3-14).
  package static let headerEntries = 1024
  /// The maximum number of sections (rule R-4.3-14).
  package static let sections = 1024
  /// The length of a type tag in bytes (Spec §4.3.4).
  package static let typeTag = 1...1024
  /// The length of either name of a provider reference in bytes (Spec §6.3).
  package static let providerName = 1...1024
  /// The length of the bundle version of an origin in bytes (Spec §4.3.3).
  package static let originBundleVersion = 0...1024
  /// The maximum number of types, and of origins (rules R-4.3-11, R-4.3-12): their numbers have 16 bits.
  package static let typeTable = 65_535
  /// The maximum nesting depth of arrays and dictionaries (rule R-6.1-9).
  package static let nesting = 128
  /// The maximum number of links in a chain (rule R-15.4-1).
  package static let links = 128
}
