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
    .library(name: "StateRestoration", targets: ["StateRestoration"]),
    .library(name: "StateRestorationTesting", targets: ["StateRestorationTesting"]),
    .library(name: "RestorationArchive", targets: ["RestorationArchive"]),
    .library(name: "RestorationInspection", targets: ["RestorationInspection"]),
    .executable(name: "restoration", targets: ["restoration"]),
  ],
  targets: [
    // Bytes and records: blocks, checksums, sections, nodes, value encoding. No Foundation; everything is `package` access.
    .target(name: "ArchiveFormat"),
    // The public format API: values, paths, reader, writer, keyed coder, Codable, the JSON form.
    .target(name: "RestorationArchive", dependencies: ["ArchiveFormat"]),
    // The engine: restorable objects, the resolver, preserving and restoring, reports.
    .target(name: "StateRestoration", dependencies: ["ArchiveFormat", "RestorationArchive"]),
    // For apps' own tests: restarts without a process, expected reports, coverage of old archives, sizes.
    .target(name: "StateRestorationTesting", dependencies: ["StateRestoration"]),
    // A small notes app, for showing the death of a process.
    .target(name: "RestorationDemonstration", dependencies: ["StateRestoration"]),
    // What the tool shows, as functions that return values or text.
    .target(name: "RestorationInspection", dependencies: ["ArchiveFormat", "RestorationArchive", "StateRestoration"]),
    // The tool: one file per verb.
    .executableTarget(name: "restoration", dependencies: ["RestorationInspection", "RestorationDemonstration", "StateRestoration"]),
    // Workloads and side-by-side timing against what a user would pick instead.
    .executableTarget(name: "restoration-bench", dependencies: ["StateRestoration"]),
    // The corpus, a slow clear reader that shares no code with the library, generators, properties, mutations.
    .target(name: "CorpusKit", dependencies: ["ArchiveFormat", "RestorationArchive"], path: "Tests/CorpusKit"),
    // Objects that tests can make do anything, a simple model of the engine's rules, random apps.
    .target(name: "EngineKit", dependencies: ["StateRestoration", "CorpusKit"], path: "Tests/EngineKit"),
    // The engine's property and its model, for as many seeds as wanted.
    .executableTarget(name: "engine-soak", dependencies: ["EngineKit", "CorpusKit"], path: "Tests/EngineSoak"),
    // The libFuzzer entry point (with -DFUZZING); built without fuzzing it replays files and keeps crashers.
    .executableTarget(name: "restoration-fuzz", dependencies: ["CorpusKit", "EngineKit"], exclude: ["archive.dict"]),
    // What some tests need a process of its own for.
    .executableTarget(
      name: "archive-probe",
      dependencies: ["ArchiveFormat", "CorpusKit", "RestorationArchive", "RestorationInspection", "StateRestoration"],
      path: "Tests/ArchiveProbe"),
    // Starts products of this package as processes of their own.
    .target(name: "ProcessKit", path: "Tests/ProcessKit"),
    .testTarget(name: "ArchiveFormatTests", dependencies: ["ArchiveFormat", "CorpusKit"]),
    .testTarget(
      name: "RestorationArchiveTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit", "ProcessKit", "archive-probe"]),
    // What tests of the store need a process of its own for: saving in a loop, dying while restoring, being asked to end.
    .executableTarget(name: "store-probe", dependencies: ["StateRestoration"], path: "Tests/StoreProbe"),
    .testTarget(name: "StoreTests", dependencies: ["StateRestoration", "CorpusKit", "ProcessKit", "store-probe"]),
    .testTarget(
      name: "StateRestorationTests",
      dependencies: ["StateRestoration", "StateRestorationTesting", "RestorationDemonstration", "EngineKit", "CorpusKit"]),
    // The code of the guide, compiled and run.
    .testTarget(name: "GuideTests", dependencies: ["StateRestorationTesting"]),
    // Both spellings of a conformance on the main actor compile, and work.
    .testTarget(name: "IsolatedConformanceTests", dependencies: ["StateRestoration"]),
    .testTarget(name: "MainActorDefaultTests", dependencies: ["StateRestoration"]),
    // Every file of the corpus through the real reader, the slow one, and back.
    .testTarget(name: "CorpusTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit"]),
    // The Spec against the code, the corpus and the tests.
    .testTarget(name: "SpecTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit"]),
    .testTarget(name: "CorpusKitTests", dependencies: ["CorpusKit"]),
    // Every function of the tool on every file of the corpus.
    .testTarget(
      name: "InspectionTests", dependencies: ["RestorationArchive", "RestorationInspection", "CorpusKit"]),
    // The tool as a process: what it prints, to which stream, with which exit status.
    .testTarget(
      name: "ToolTests",
      dependencies: ["RestorationArchive", "StateRestoration", "CorpusKit", "ProcessKit", "restoration", "store-probe"],
      exclude: ["Snapshots"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = settings + (target.name == "MainActorDefaultTests" ? [.defaultIsolation(MainActor.self)] : [])
}
