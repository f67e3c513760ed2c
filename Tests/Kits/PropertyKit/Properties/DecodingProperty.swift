import Foundation
import RestorationArchive

/// Every way of reading ends with a value or an error (Spec 11).
enum DecodingProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    let check = ArchiveCheck(bytes)
    for finding in check.findings {
      try PropertyViolation.require(finding.offset.map { (0...(bytes.count)).contains($0) } ?? false, "\(finding): no place in the file")
    }
    do throws(ArchiveError) {
      let reader = try ArchiveReader(link: bytes)
      _ = try? reader.sections()
      var left = 2000
      if let application = try? reader.application() { visit(application, reader, &left) }
      _ = try ArchiveTree(decoding: reader)
    } catch {
      try PropertyViolation.require(!check.isValid, "a valid archive cannot be read: \(error)")
    }
  }

  /// Visits a node and its descendants, up to a maximum number, so that a table that is not a tree takes no longer than
  /// one that is.
  private static func visit(_ node: NodeReader, _ reader: ArchiveReader, _ left: inout Int) {
    left -= 1
    if left < 0 { return }
    if let decoder = try? node.decoder() {
      _ = try? decoder.decode(String.self, forKey: "title")
      _ = decoder.containsValue(forKey: "row")
      _ = try? decoder.decode([String: Double].self, forKey: "zoom")
    }
    _ = try? node.state()
    _ = try? reader.node(at: node.path)
    node.visitChildren { if let child = try? $0.get() { visit(child, reader, &left) } }
  }
}
