// swift-tools-version: 6.2
import PackageDescription

/// Every target is built the same way.
///
/// `strictMemorySafety` makes each unsafe expression visible, the upcoming features are those that a later language mode will switch on.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "swift-state-restoration",
  // `UTF8Span`, through which text is validated without a copy, came with these.
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "RestorationArchive", targets: ["RestorationArchive"]),
    .library(name: "RestorationInspection", targets: ["RestorationInspection"]),
    .executable(name: "restoration", targets: ["restoration"]),
  ],
  targets: [
    // Bytes and records: blocks, checksums, sections, nodes, value encoding. No Foundation; everything is `package` access.
    .target(name: "ArchiveFormat"),
    // The public format API: values, paths, reader, writer, keyed coder, Codable, the JSON form.
    .target(name: "RestorationArchive", dependencies: ["ArchiveFormat"]),
    // What the tool shows, as functions that return values or text.
    .target(name: "RestorationInspection", dependencies: ["ArchiveFormat", "RestorationArchive"]),
    // The tool: one file per verb.
    .executableTarget(name: "restoration", dependencies: ["RestorationInspection"]),
    // Workloads and side-by-side timing against what a user would pick instead.
    .executableTarget(name: "restoration-bench", dependencies: ["RestorationArchive"]),
    // The corpus, a slow clear reader that shares no code with the library, generators, properties, mutations.
    .target(name: "CorpusKit", dependencies: ["ArchiveFormat", "RestorationArchive"], path: "Tests/CorpusKit"),
    // The libFuzzer entry point (with -DFUZZING); built without fuzzing it replays files and keeps crashers.
    .executableTarget(name: "restoration-fuzz", dependencies: ["CorpusKit"], exclude: ["archive.dict"]),
    // What some tests need a process of its own for.
    .executableTarget(name: "archive-probe", dependencies: ["CorpusKit", "RestorationArchive"], path: "Tests/ArchiveProbe"),
    .testTarget(name: "ArchiveFormatTests", dependencies: ["ArchiveFormat", "CorpusKit"]),
    .testTarget(
      name: "RestorationArchiveTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit", "archive-probe"]),
    // Every file of the corpus through the real reader, the slow one, and back.
    .testTarget(name: "CorpusTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit"]),
    // The Spec against the code, the corpus and the tests.
    .testTarget(name: "SpecTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit"]),
    .testTarget(name: "CorpusKitTests", dependencies: ["CorpusKit"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = settings
}
