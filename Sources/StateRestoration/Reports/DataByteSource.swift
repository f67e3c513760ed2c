#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// The bytes of a newly assembled archive, read in place without another copy.
struct DataByteSource: ArchiveByteSource {
  let data: Data

  func byteCount() -> Int { data.count }

  func read(_ range: Range<Int>) -> [UInt8] {
    let first = data.startIndex
    return [UInt8](data[(first + min(range.lowerBound, data.count))..<(first + min(range.upperBound, data.count))])
  }
}
