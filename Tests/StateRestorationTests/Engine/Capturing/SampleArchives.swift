import EngineKit
import Foundation
import PropertyKit
import StateRestoration
import Testing

extension ArchiveReader {
  /// A saved tree of three: `root`, `root/plugin` of type `List`, and `root/plugin/deep`.
  static func ofPlugin() throws -> ArchiveReader {
    try RestorableTree.saved(
      [
        SampleObject(
          "root", values: ["r": 1], children: [List("plugin", values: ["x": 1], children: [SampleObject("deep", values: ["y": 2])])])
      ],
      header: .at(build: "40", seconds: 100))
  }

  /// An archive of a later minor version, in which values equal to `ArchiveValue.ofLaterType` have an unknown type.
  static func ofLaterVersion(_ nodes: [ArchiveNode]) throws -> ArchiveReader {
    let tree = ArchiveTree(header: .sample, nodes: nodes)
    return try ArchiveReader(#require(LaterArchive.make(of: [UInt8](tree.encoded()))))
  }
}

extension ArchiveValue {
  static let ofLaterType = ArchiveValue.data(Data(LaterArchive.content))
}
