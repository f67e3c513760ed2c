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
  // `.ci/availability` holds the sources against these.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StateRestoration", targets: ["StateRestoration"]),
    .library(name: "StateRestorationTesting", targets: ["StateRestorationTesting"]),
    .library(name: "RestorationArchive", targets: ["RestorationArchive"]),
    .library(name: "RestorationInspection", targets: ["RestorationInspection"]),
    .executable(name: "restoration", targets: ["restoration"]),
  ],
  targets: [
    // Bytes and records: blocks, checksums, sections, nodes, value encoding. No Foundation; everything is `package` access.
    .target(name: "ArchiveFormat", dependencies: ["Locking"]),
    // The lock that guards what several threads use.
    .target(name: "Locking"),
    // The public format API: values, paths, reader, writer, keyed coder, Codable, the JSON form.
    .target(name: "RestorationArchive", dependencies: ["ArchiveFormat", "Locking"]),
    // The engine: restorable objects, the resolver, preserving and restoring, reports.
    .target(name: "StateRestoration", dependencies: ["ArchiveFormat", "Locking", "RestorationArchive"]),
    // For apps' own tests: restarts without a process, expected reports, coverage of old archives, sizes.
    .target(name: "StateRestorationTesting", dependencies: ["StateRestoration"]),
    // A terminal: raw keys, cells, what has changed on the screen. It knows nothing of restoration.
    .target(name: "Terminal"),
    // A notes app for the terminal that comes back, however it ends: the sample of the guides.
    .target(name: "RestorationNotes", dependencies: ["StateRestoration", "Terminal"]),
    // What the tool shows, as functions that return values or text.
    .target(name: "RestorationInspection", dependencies: ["ArchiveFormat", "RestorationArchive", "StateRestoration"]),
    // The tool: one file per verb.
    .executableTarget(name: "restoration", dependencies: ["RestorationInspection", "RestorationNotes", "StateRestoration", "Terminal"]),
    // Workloads and side-by-side timing against what a user would pick instead.
    .executableTarget(name: "restoration-bench", dependencies: ["Locking", "StateRestoration"], exclude: ["Tuning.md"]),
    // Helpers of the tests.
    // Whether a test takes its sample or everything.
    .target(name: "TestStage", path: "Tests/Kits/TestStage"),
    // A reader and checker written from the Spec alone, slow and clear; it depends on nothing.
    .target(name: "SlowReader", path: "Tests/Kits/SlowReader"),
    // The corpus: its files with expectations, the hex notation, the tables from which small files are made. No library either.
    .target(name: "CorpusKit", path: "Tests/Kits/CorpusKit"),
    // Properties that hold for all bytes; generators and mutations of archives.
    .target(
      name: "PropertyKit", dependencies: ["ArchiveFormat", "Locking", "RestorationArchive", "CorpusKit", "SlowReader"],
      path: "Tests/Kits/PropertyKit"),
    // Objects that tests can make do anything, a simple model of the engine's rules, random apps.
    .target(name: "EngineKit", dependencies: ["Locking", "StateRestoration", "CorpusKit", "PropertyKit"], path: "Tests/Kits/EngineKit"),
    // Starts products of this package as processes of their own.
    .target(name: "ProcessKit", path: "Tests/Kits/ProcessKit"),

    // Programs that the tests start, or that run for as long as wanted.
    // Memory, work and damage of archives, measured in a process of its own.
    .executableTarget(
      name: "archive-probe",
      dependencies: [
        "ArchiveFormat", "CorpusKit", "PropertyKit", "RestorationArchive", "RestorationInspection", "SlowReader", "StateRestoration",
      ],
      path: "Tests/Probes/ArchiveProbe"),
    // An app that saves in a loop, dies while restoring, or is asked to end.
    .executableTarget(name: "store-probe", dependencies: ["Locking", "StateRestoration"], path: "Tests/Probes/StoreProbe"),
    // An app on the front door, driven by lines and signals.
    .executableTarget(name: "app-probe", dependencies: ["StateRestoration"], path: "Tests/Probes/AppProbe"),
    // The counter of README.md, to the letter.
    .executableTarget(name: "counter-example", dependencies: ["StateRestoration"], path: "Tests/Probes/CounterExample"),
    // The engine's property and its model, for as many seeds as wanted.
    .executableTarget(name: "engine-soak", dependencies: ["EngineKit", "CorpusKit", "PropertyKit"], path: "Tests/Probes/EngineSoak"),
    // The slow reader, changed in one place at a time, over the corpus; `.ci/mutants` builds it with generated copies of the reader.
    .executableTarget(
      name: "mutant-probe", dependencies: ["CorpusKit", "SlowReader"], path: "Tests/Probes/MutantProbe", exclude: ["equivalent.txt"]),
    // The libFuzzer entry point (with -DFUZZING); built without fuzzing it replays files and keeps crashers.
    .executableTarget(name: "restoration-fuzz", dependencies: ["CorpusKit", "PropertyKit", "EngineKit"], exclude: ["archive.dict"]),

    // A suite for each library, in folders as in Sources.
    .testTarget(name: "LockingTests", dependencies: ["Locking"]),
    .testTarget(name: "ArchiveFormatTests", dependencies: ["ArchiveFormat", "CorpusKit", "PropertyKit", "SlowReader", "TestStage"]),
    .testTarget(
      name: "RestorationArchiveTests",
      dependencies: [
        "ArchiveFormat", "Locking", "RestorationArchive", "CorpusKit", "PropertyKit", "ProcessKit", "SlowReader", "TestStage",
        "archive-probe",
      ]),
    .testTarget(
      name: "StateRestorationTests",
      dependencies: [
        "Locking", "StateRestoration", "EngineKit", "CorpusKit", "ProcessKit", "PropertyKit", "TestStage", "app-probe", "counter-example",
      ]),
    .testTarget(
      name: "StoreTests",
      dependencies: ["Locking", "StateRestoration", "CorpusKit", "PropertyKit", "ProcessKit", "SlowReader", "TestStage", "store-probe"]),
    .testTarget(name: "StateRestorationTestingTests", dependencies: ["StateRestoration", "StateRestorationTesting", "EngineKit"]),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal"]),
    // The notes app, as a model, as a screen, and as a process that is killed.
    .testTarget(
      name: "RestorationNotesTests",
      dependencies: ["ProcessKit", "PropertyKit", "RestorationNotes", "StateRestoration", "Terminal", "TestStage", "restoration"]),
    // Every function of the tool on every file of the corpus.
    .testTarget(
      name: "RestorationInspectionTests",
      dependencies: ["RestorationArchive", "RestorationInspection", "StateRestoration", "CorpusKit", "PropertyKit", "TestStage"]),
    // The tool as a process: what it prints, to which stream, with which exit status.
    .testTarget(
      name: "ToolTests",
      dependencies: ["RestorationArchive", "StateRestoration", "CorpusKit", "ProcessKit", "PropertyKit", "restoration", "store-probe"],
      exclude: ["Snapshots"]),

    // What no single library answers for.
    // Every file of the corpus through the real reader, the slow one, and back.
    .testTarget(
      name: "CorpusTests",
      dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit", "PropertyKit", "SlowReader", "TestStage"]),
    // The Spec against the code, the corpus and the tests.
    .testTarget(name: "SpecTests", dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit"]),
    // The code of the guide, compiled and run.
    .testTarget(name: "GuideTests", dependencies: ["ProcessKit", "StateRestorationTesting"]),
    // Both spellings of a conformance on the main actor compile, and work.
    .testTarget(name: "IsolatedConformanceTests", dependencies: ["StateRestoration", "ProcessKit"]),
    .testTarget(name: "MainActorDefaultTests", dependencies: ["StateRestoration"]),
    // The helpers themselves.
    .testTarget(name: "SlowReaderTests", dependencies: ["SlowReader", "TestStage"]),
    .testTarget(name: "CorpusKitTests", dependencies: ["CorpusKit", "SlowReader"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = settings + (target.name == "MainActorDefaultTests" ? [.defaultIsolation(MainActor.self)] : [])
  // `Array.span` of this module says how long a span lives; there is no other way to write that yet.
  if target.name == "ArchiveFormat" { target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes")) }
}
