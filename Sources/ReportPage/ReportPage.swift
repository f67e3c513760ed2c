/// The parts of a report's page that are the same for every archive: markup, style and script.
///
/// They are files of their own beside this one, and SwiftPM compiles their bytes into the program. Nothing is looked
/// for at run time, and the page needs no other file either.
package enum ReportPage {
  /// A place in the markup that the report fills in.
  package enum Place: String, CaseIterable, Sendable {
    /// The content security policy, which names the digests of style and script.
    case policy = "{{policy}}"
    /// The style sheet.
    case style = "{{style}}"
    /// The archives.
    case archives = "{{archives}}"
    /// The script.
    case script = "{{script}}"
  }

  /// The markup before, between and after the places, each of which it has once and in their order.
  package static let markup: [String] = {
    var parts = [text(PackageResources.page_html)[...]]
    for place in Place.allCases {
      let last = parts.removeLast()
      parts += last.split(separator: place.rawValue, maxSplits: 1, omittingEmptySubsequences: false)
    }
    return parts.map(String.init)
  }()

  /// The style sheet.
  package static let style = text(PackageResources.page_css)

  /// The digest by which the policy of a page names the style sheet; a test compares it, because it changes with the file.
  package static let styleDigest = "sha256-+a8XQFu+jcVj5yUC6s6G7q7EVE+tzcqWzu4677wfutI="

  /// The script; all of its files share one scope.
  package static let script =
    "\"use strict\";\n"
    + [
      PackageResources.archive_js, PackageResources.tree_js, PackageResources.details_js, PackageResources.compare_js,
      PackageResources.saves_js, PackageResources.map_js, PackageResources.page_js,
    ].map(text).joined()

  /// The digest of the script.
  package static let scriptDigest = "sha256-hHJlyqubWM/ODRY16RlFoxagk6Lf3VpJhekfLaps79E="

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
