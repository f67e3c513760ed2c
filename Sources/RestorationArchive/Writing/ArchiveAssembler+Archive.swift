#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

extension ArchiveAssembler {
  /// Puts the archive together, with errors that name paths.
  func archive(with surroundings: ArchiveSurroundings) throws(ArchiveError) -> Data {
    do throws(FormatError) {
      return Data(taking: try finish(surroundings))
    } catch {
      throw ArchiveError(error, path: error.node.map { path(of: $0) })
    }
  }

  /// The path of a node that was fed; the empty one if there is none with this number.
  func path(of number: Int) -> RestorationPath {
    RestorationPath(unchecked: identifiers(to: number))
  }
}
