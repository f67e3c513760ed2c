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

  /// The markup, with each ``Place`` once and in this order.
  package static var markup: String { text(PackageResources.page_html) }

  /// The style sheet.
  package static var style: String { text(PackageResources.page_css) }

  /// The script: a reader of archives, followed by the views. Both files share one scope.
  package static var script: String { "\"use strict\";\n" + text(PackageResources.reader_js) + text(PackageResources.page_js) }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
