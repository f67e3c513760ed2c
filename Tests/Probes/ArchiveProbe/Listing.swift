import PropertyKit
import RestorationArchive
import RestorationInspection
import StateRestoration

/// The tool's listings of each node or value of a file.
///
/// Their objects are created, but their texts need not all be in memory at once.
enum Listing: String, CaseIterable {
  /// `restoration salvage`.
  case salvage = "salvage-report"
  /// `restoration resolve`.
  case resolve
  /// `restoration get`.
  case get

  /// Performs the listing, as text and as JSON.
  func perform(on bytes: [UInt8]) {
    var output = TextPieces()
    switch self {
    case .salvage:
      let salvage = ArchiveSalvage(bytes)
      salvage.writeReport(to: &output)
      salvage.writeReportJSON(to: &output)
    case .resolve:
      guard let reader = try? ArchiveReader(bytes) else { return }
      let resolution = ArchiveResolution(of: reader, with: Resolver())
      resolution.write(to: &output)
      resolution.writeJSON(to: &output)
    case .get:
      guard let node = try? ArchiveReader(bytes).application(), let listing = try? NodeListing(node) else { return }
      listing.write(to: &output, ValueText())
      listing.writeJSON(to: &output, .reveal)
    }
  }
}
