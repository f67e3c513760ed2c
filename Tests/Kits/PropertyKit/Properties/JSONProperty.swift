import Foundation
import RestorationArchive

/// The JSON form contains everything that an archive does, and parsing ends for every text (`Spec/json.md`).
enum JSONProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    // The bytes as an archive.
    if let tree = try? ArchiveTree(decoding: ArchiveReader(bytes)), let archive = try? tree.encoded() {
      try checkRoundTrip(of: tree, archive)
    }
    // The bytes as JSON text.
    let result: Result<ArchiveTree, ArchiveError> = Result { () throws(ArchiveError) in try ArchiveTree(json: Data(bytes)) }
    switch result {
    case .success(let tree):
      if let archive = try? tree.encoded() { try checkRoundTrip(of: tree, archive) }
    case .failure(let error):
      try PropertyViolation.require(!error.description.isEmpty, "an error without words")
      if let offset = error.offset { try PropertyViolation.require((0...bytes.count).contains(offset), "\(error): no place in the text") }
    }
  }

  private static func checkRoundTrip(of tree: ArchiveTree, _ archive: Data) throws(PropertyViolation) {
    let text = tree.json()
    guard let again = try? ArchiveTree(json: text) else { throw PropertyViolation("the JSON form cannot be read again") }
    let isSame = again.json() == text && (try? again.encoded()) == archive
    try PropertyViolation.require(isSame, "the JSON form reads as another archive")
  }
}
