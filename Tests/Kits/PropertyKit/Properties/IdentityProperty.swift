import Foundation
import RestorationArchive

/// Content and bytes determine each other (R-8-1): encoding the content of a valid archive gives its bytes and no
/// others.
enum IdentityProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    let check = ArchiveCheck(bytes)
    guard let tree = try? ArchiveTree(decoding: ArchiveReader(link: bytes)) else { return }
    let again = (try? tree.encoded()).map { [UInt8]($0) }
    if check.isValid {
      try PropertyViolation.require(again == bytes, "decoding and encoding gives other bytes")
    } else {
      try PropertyViolation.require(again != bytes, "a file that is not valid is what its content is written as: \(check.findings)")
    }
  }
}
