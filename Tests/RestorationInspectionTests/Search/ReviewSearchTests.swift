import Foundation
import RestorationArchive
@testable import RestorationInspection
import Testing

/// What a review of the searches found.
@Suite struct ReviewSearchTests {
  /// A property list with some references to one data object that is such a list too.
  private static func list(_ levels: Int, _ count: Int) -> [UInt8] {
    var list = Array("bplist00".utf8)
    var offsets: [Int] = []
    func add(_ bytes: [UInt8]) {
      offsets.append(list.count)
      list += bytes
    }
    add([0xD1, 1, 2])
    add([0x51, UInt8(ascii: "k")])
    if levels == 0 {
      add([0x51, UInt8(ascii: "v")])
    } else {
      let inner = self.list(levels - 1, count)
      add([0xAF, 0x10, UInt8(count)] + [UInt8](repeating: 3, count: count))
      add([0x4F, 0x11, UInt8(inner.count >> 8), UInt8(inner.count & 255)] + inner)
    }
    let table = list.count
    for offset in offsets { list += [UInt8(offset >> 8), UInt8(offset & 255)] }
    list += [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(offsets.count)] + [UInt8](repeating: 0, count: 8)
    return list + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 255)]
  }

  @Test("lists within lists that share their data are searched in time in proportion to the file")
  func searchesSharedLists() throws {
    func time(_ count: Int) throws -> Duration {
      let tree = ArchiveTree(applicationState: ["data": .data(Data(Self.list(4, count)))])
      var search = ArchiveSearch(try ArchiveReader(inspecting: [UInt8](tree.encoded())), ArchiveSearch.Options(pattern: try TextPattern("zzz")))
      return ContinuousClock().measure { search.visitHits { _ in } }
    }
    _ = try time(2)
    let (short, long) = (try time(4), try time(16))
    // The file is 1.2 times as long.
    #expect(long < short * 16, "\(short) and \(long)")
  }

  @Test("a difference with revealed values shows those inside containers too")
  func revealsInsideContainers() throws {
    var inner: ArchiveDictionary = ["token": "hunter2"]
    inner.setSensitive(true, forKey: "token")
    let new = ArchiveTree(applicationState: ["login": .dictionary(inner), "list": [.dictionary(inner)]])
    var options = ArchiveDifference.Options()
    options.sensitive = .reveal
    let difference = ArchiveDifference(
      from: try ArchiveReader(inspecting: [UInt8](ArchiveTree().encoded())), to: try ArchiveReader(inspecting: [UInt8](new.encoded())),
      options: options)
    var text = ""
    difference.write(to: &text)
    #expect(text.contains("hunter2"), "\(text)")
  }
}
