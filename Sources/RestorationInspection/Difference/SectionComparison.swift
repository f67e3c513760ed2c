import ArchiveFormat
import RestorationArchive

/// Compares the ancillary sections of two archives.
struct SectionComparison {
  /// The changes, in ascending order of the codes.
  private(set) var changes: [SectionChange] = []

  init(_ old: ArchiveReader, _ new: ArchiveReader) {
    let (left, right) = (Array(old.records.metadata.ancillarySections), Array(new.records.metadata.ancillarySections))
    for pair in MergedPairs(left, right, by: { Int($0.code.rawValue) - Int($1.code.rawValue) }) { compare(pair.old, pair.new, old, new) }
  }

  private mutating func compare(_ left: SectionEntry?, _ right: SectionEntry?, _ old: ArchiveReader, _ new: ArchiveReader) {
    guard let code = (left ?? right)?.code.text else { return }
    var error: ArchiveError?
    if let left, let right {
      do throws(FormatError) {
        let (mine, theirs) = (try old.records.bytes(of: left), try new.records.bytes(of: right))
        if mine.storage.span.extracting(mine.range).isEqual(to: theirs.storage.span.extracting(theirs.range)) { return }
      } catch let failure {
        error = ArchiveError(failure)
      }
    }
    changes.append(SectionChange(code: code, oldByteCount: left?.length, newByteCount: right?.length, error: error))
  }
}
