#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

extension ArchiveAssembler {
  /// Assembles the archive; errors carry paths.
  func archive(with surroundings: ArchiveSurroundings) throws(ArchiveError) -> Data {
    do throws(FormatError) {
      return Data(taking: try finish(surroundings))
    } catch {
      throw ArchiveError(error, path: error.node.map { path(of: $0) })
    }
  }

  /// Returns the path of an added node; the empty path if there is no node with this number.
  func path(of number: Int) -> RestorationPath {
    RestorationPath(unchecked: identifiers(to: number))
  }
}
