// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target.
///
/// `strictMemorySafety` marks each unsafe expression. The upcoming features are those that a later language mode will
/// enable.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "swift-state-restoration",
  // `.ci/availability` checks the sources against these.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StateRestoration", targets: ["StateRestoration"]),
    .library(name: "StateRestorationTesting", targets: ["StateRestorationTesting"]),
    .library(name: "RestorationNSCoder", targets: ["RestorationNSCoder"]),
    .library(name: "RestorationArchive", targets: ["RestorationArchive"]),
    .library(name: "KeyedArchive", targets: ["KeyedArchive"]),
    .library(name: "RestorationInspection", targets: ["RestorationInspection"]),
    .executable(name: "restoration", targets: ["restoration"]),
  ],
  targets: [
    // Bytes and records: blocks, checksums, sections, nodes, value encoding. No Foundation; `package` access
    // throughout.
    .target(name: "ArchiveFormat", dependencies: ["Locking", "Storage"], exclude: ["Writing/Symbols/Keys.md"]),
    // The C library of each system, and Foundation's values, under one name each.
    .target(name: "SystemLibrary"),
    .target(name: "FoundationValues"),
    // The lock that guards shared mutable state.
    .target(name: "Locking", dependencies: ["SystemLibrary"]),
    // Memory with a single owner, without exclusivity checks and reference counting. No Foundation.
    .target(name: "Storage", dependencies: ["SystemLibrary"]),
    // The public format API: values, paths, reader, writer, keyed coder, Codable, the JSON form.
    .target(name: "RestorationArchive", dependencies: ["ArchiveFormat", "FoundationValues", "Locking", "Storage", "SystemLibrary"]),
    // Property lists and keyed archives; the state archives of UIKit and AppKit as archives of this package.
    .target(name: "KeyedArchive", dependencies: ["ArchiveFormat", "FoundationValues", "RestorationArchive"]),
    // The engine: restorable objects, the resolver, preserving and restoring, reports.
    .target(
      name: "StateRestoration", dependencies: ["FoundationValues", "Locking", "RestorationArchive", "Storage", "SystemLibrary"]),
    // For apps' own tests: restarts without a process, expected reports, coverage of old archives.
    .target(name: "StateRestorationTesting", dependencies: ["FoundationValues", "StateRestoration"]),
    // Code written for NSCoder saves and restores with the engine. The only library that needs all of Foundation.
    .target(name: "RestorationNSCoder", dependencies: ["ArchiveFormat", "RestorationArchive", "StateRestoration"]),
    // A terminal: raw keys, a cell grid, incremental repainting. It is independent of restoration.
    .target(name: "Terminal", dependencies: ["SystemLibrary"]),
    // A notes app for the terminal whose state survives any exit; the sample of the guides.
    .target(name: "RestorationNotes", dependencies: ["FoundationValues", "RestorationArchive", "StateRestoration", "Terminal"]),
    // The functions behind the tool; they return values or text.
    .target(
      name: "RestorationInspection",
      dependencies: ["ArchiveFormat", "FoundationValues", "KeyedArchive", "ReportPage", "RestorationArchive", "StateRestoration"]),
    // The markup, style and script of the page that `restoration report` makes, compiled into the program.
    .target(
      name: "ReportPage",
      resources: [
        .embedInCode("page.html"), .embedInCode("page.css"), .embedInCode("archive.js"), .embedInCode("tree.js"),
        .embedInCode("details.js"), .embedInCode("compare.js"), .embedInCode("saves.js"), .embedInCode("map.js"), .embedInCode("page.js"),
      ]),
    // A browser of archives for the terminal, whose position comes back.
    .target(
      name: "RestorationBrowser",
      dependencies: [
        "ArchiveFormat", "FoundationValues", "RestorationArchive", "RestorationInspection", "StateRestoration", "SystemLibrary",
        "Terminal",
      ]),
    // The tool: one file per verb.
    .executableTarget(
      name: "restoration",
      dependencies: [
        "ArchiveFormat", "FoundationValues", "KeyedArchive", "Locking", "RestorationBrowser", "RestorationInspection", "RestorationNotes",
        "StateRestoration", "SystemLibrary", "Terminal",
      ]),
    // Workloads and timing, side by side with the alternatives that an app could use.
    .executableTarget(
      name: "restoration-bench", dependencies: ["Locking", "StateRestoration", "SystemLibrary"], exclude: ["Tuning.md"]),
    // Support code for the tests.
    // The choice between a sample and the full set of cases.
    .target(name: "TestStage", path: "Tests/Kits/TestStage"),
    // A slow, clear reader and checker, written from the Spec alone; it has no dependencies.
    .target(name: "SlowReader", path: "Tests/Kits/SlowReader"),
    // The corpus: files with expectations, hex notation, the tables that generate small files. It uses none of the
    // libraries.
    .target(name: "CorpusKit", path: "Tests/Kits/CorpusKit"),
    // Properties that hold for all bytes; generators and mutations of archives.
    .target(
      name: "PropertyKit", dependencies: ["ArchiveFormat", "Locking", "RestorationArchive", "CorpusKit", "SlowReader"],
      path: "Tests/Kits/PropertyKit"),
    // Property lists and keyed archives byte by byte, a slow reader of them, fixtures and properties.
    .target(
      name: "KeyedArchiveKit", dependencies: ["CorpusKit", "KeyedArchive", "PropertyKit", "RestorationArchive"],
      path: "Tests/Kits/KeyedArchiveKit"),
    // Scriptable restorable objects, a simple model of the engine's rules, random apps and their histories, a disk that
    // fails.
    .target(name: "EngineKit", dependencies: ["Locking", "StateRestoration", "CorpusKit", "PropertyKit"], path: "Tests/Kits/EngineKit"),
    // Damaged copies of an archive, and what salvage must rescue of each.
    .target(name: "SalvageKit", dependencies: ["PropertyKit", "RestorationArchive"], path: "Tests/Kits/SalvageKit"),
    // Starts products of this package as separate processes.
    .target(name: "ProcessKit", path: "Tests/Kits/ProcessKit"),

    // Programs that the tests start, or that run for any length of time.
    // Measures the memory and work that archives cost, and the effects of damage, in a separate process.
    .executableTarget(
      name: "archive-probe",
      dependencies: [
        "ArchiveFormat", "CorpusKit", "KeyedArchive", "KeyedArchiveKit", "PropertyKit", "RestorationArchive", "RestorationInspection",
        "SlowReader", "StateRestoration",
      ],
      path: "Tests/Probes/ArchiveProbe"),
    // An app that saves in a loop, dies while restoring, or is asked to end.
    .executableTarget(
      name: "store-probe", dependencies: ["Locking", "StateRestoration", "SystemLibrary"], path: "Tests/Probes/StoreProbe"),
    // An app on `AppRestoration`, driven by lines and signals.
    .executableTarget(name: "app-probe", dependencies: ["StateRestoration"], path: "Tests/Probes/AppProbe"),
    // The counter of README.md, verbatim.
    .executableTarget(name: "counter-example", dependencies: ["StateRestoration"], path: "Tests/Probes/CounterExample"),
    // The steps of the tutorial of the guides.
    .executableTarget(name: "jot-1", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step1"),
    .executableTarget(name: "jot-2", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step2"),
    .executableTarget(name: "jot-3", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step3"),
    .executableTarget(name: "jot-4", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step4"),
    .executableTarget(name: "jot-5", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step5"),
    .executableTarget(name: "jot-6", dependencies: ["StateRestoration"], path: "Tests/Probes/Jot/Step6"),
    // Checks the engine's property against its model, for any number of seeds.
    .executableTarget(name: "engine-soak", dependencies: ["EngineKit", "CorpusKit", "PropertyKit"], path: "Tests/Probes/EngineSoak"),
    // The slow reader, changed in one place at a time, over the corpus; `.ci/mutants` builds it with generated copies of the reader.
    .executableTarget(
      name: "mutant-probe", dependencies: ["CorpusKit", "SlowReader"], path: "Tests/Probes/MutantProbe", exclude: ["equivalent.txt"]),
    // The libFuzzer entry point (with -DFUZZING). Built without fuzzing, it replays files and keeps crashers.
    .executableTarget(
      name: "restoration-fuzz", dependencies: ["CorpusKit", "PropertyKit", "EngineKit", "KeyedArchiveKit"], exclude: ["archive.dict"]),

    // A suite for each library, in the same folders as in Sources.
    .testTarget(name: "LockingTests", dependencies: ["Locking"]),
    .testTarget(
      name: "ArchiveFormatTests", dependencies: ["ArchiveFormat", "Storage", "CorpusKit", "PropertyKit", "SlowReader", "TestStage"]),
    .testTarget(
      name: "RestorationArchiveTests",
      dependencies: [
        "ArchiveFormat", "Locking", "RestorationArchive", "CorpusKit", "PropertyKit", "ProcessKit", "SalvageKit", "SlowReader",
        "TestStage", "archive-probe",
      ]),
    .testTarget(
      name: "KeyedArchiveTests",
      dependencies: ["CorpusKit", "KeyedArchive", "KeyedArchiveKit", "ProcessKit", "PropertyKit", "RestorationArchive", "TestStage"]),
    .testTarget(
      name: "StateRestorationTests",
      dependencies: [
        "ArchiveFormat", "Locking", "StateRestoration", "EngineKit", "CorpusKit", "ProcessKit", "PropertyKit", "TestStage", "app-probe",
        "counter-example",
      ]),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "Locking", "StateRestoration", "CorpusKit", "EngineKit", "PropertyKit", "ProcessKit", "SlowReader", "TestStage", "store-probe",
      ]),
    .testTarget(
      name: "RestorationNSCoderTests",
      dependencies: ["ArchiveFormat", "RestorationArchive", "RestorationNSCoder", "StateRestoration", "PropertyKit", "TestStage"]),
    .testTarget(name: "StateRestorationTestingTests", dependencies: ["StateRestoration", "StateRestorationTesting", "EngineKit"]),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestStage"]),
    // The notes app as a model, as a screen, and as a process that is killed.
    .testTarget(
      name: "RestorationNotesTests",
      dependencies: ["ProcessKit", "PropertyKit", "RestorationNotes", "StateRestoration", "Terminal", "TestStage", "restoration"]),
    // The browser as a model, as a screen, and as a process that is killed.
    .testTarget(
      name: "RestorationBrowserTests",
      dependencies: [
        "CorpusKit", "ProcessKit", "RestorationArchive", "RestorationBrowser", "RestorationInspection", "Terminal", "StateRestoration",
        "TestStage",
        "restoration",
      ]),
    // Every function of the tool on every corpus file.
    .testTarget(
      name: "RestorationInspectionTests",
      dependencies: [
        "ArchiveFormat", "KeyedArchive", "ReportPage", "RestorationArchive", "RestorationInspection", "StateRestoration", "CorpusKit",
        "KeyedArchiveKit", "ProcessKit", "PropertyKit", "SalvageKit", "TestStage", "archive-probe",
      ]),
    // The tool as a process: its output, streams and exit status.
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "RestorationArchive", "StateRestoration", "CorpusKit", "KeyedArchiveKit", "ProcessKit", "PropertyKit", "TestStage",
        "restoration", "store-probe",
      ],
      exclude: ["Snapshots"]),

    // Tests that span several libraries.
    // Every corpus file through the real reader and the slow one, and back to bytes.
    .testTarget(
      name: "CorpusTests",
      dependencies: ["ArchiveFormat", "RestorationArchive", "CorpusKit", "PropertyKit", "SlowReader", "TestStage"]),
    // The Spec against the code, the corpus and the tests.
    .testTarget(
      name: "SpecTests",
      dependencies: [
        "ArchiveFormat", "KeyedArchive", "RestorationArchive", "RestorationInspection", "StateRestoration", "CorpusKit", "KeyedArchiveKit",
        "ProcessKit", "TestStage", "restoration",
      ]),
    // The code of the guides, compiled and run.
    .testTarget(
      name: "GuideTests",
      dependencies: [
        "KeyedArchive", "ProcessKit", "RestorationInspection", "RestorationNSCoder", "StateRestorationTesting",
        "jot-1", "jot-2", "jot-3", "jot-4", "jot-5", "jot-6",
      ]),
    // Both spellings of a main-actor conformance compile and work.
    .testTarget(name: "IsolatedConformanceTests", dependencies: ["StateRestoration", "ProcessKit"]),
    .testTarget(name: "MainActorDefaultTests", dependencies: ["StateRestoration"]),
    // Classes that do not say what properties they have.
    .testTarget(name: "WithoutReflectionTests", dependencies: ["EngineKit", "StateRestoration"]),
    // Tests of the support code.
    .testTarget(name: "CorpusKitTests", dependencies: ["CorpusKit", "SlowReader"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = settings + (target.name == "MainActorDefaultTests" ? [.defaultIsolation(MainActor.self)] : [])
  if target.name == "WithoutReflectionTests" { target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])) }
  // `Array.span` in this module declares a span's lifetime, which needs this experimental feature for now.
  if target.name == "ArchiveFormat" { target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes")) }
}

// The builds of `.ci/run` and of the second stage of the tests. Without the variable nothing changes.
switch Context.environment["TEST_BUILD"] {
case "optimized":
  // One build for both stages. Whole modules take less time to compile.
  let wholeModules = ["-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"]
  for target in package.targets { target.swiftSettings?.append(.unsafeFlags(wholeModules)) }
  optimize([
    "ArchiveFormat", "EngineKit", "KeyedArchive", "KeyedArchiveKit", "Locking", "PropertyKit", "RestorationArchive",
    "RestorationInspection",
    "SalvageKit", "SlowReader", "StateRestoration", "Storage",
  ])
case "fuzzer":
  // The tables of the corpus take longer to optimize than any library. The engine is one of ten properties; without
  // optimization its assertions are checked too.
  for target in package.targets where ["CorpusKit", "EngineKit", "StateRestoration"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
case "threads":
  // The tests that use several threads, and the programs that they start; also a test of depth, because only this build
  // of `.ci/run` is not optimized.
  let targets: Set = [
    "RestorationArchiveTests", "StateRestorationTests", "StoreTests", "app-probe", "archive-probe", "counter-example", "store-probe",
  ]
  package.products = []
  package.targets.removeAll { ($0.type == .test || $0.type == .executable) && !targets.contains($0.name) }
  package.targets.first { $0.name == "RestorationArchiveTests" }?.sources = [
    "Coder/Containers/ContainerEncodingTests.swift", "Files/StableTests.swift", "Fixture.swift",
    "Reading/ArchiveByteSourceTests.swift", "Reading/ArchiveReaderTests.swift", "Writing/CanonicalTests.swift",
    "Writing/EncodedArchiveTests.swift",
  ]
default:
  // `TEST_SUITES=StoreTests,SpecTests` builds these suites alone, with what they need: seconds, not minutes, after a change.
  guard let suites = Context.environment["TEST_SUITES"]?.split(separator: ",").map(String.init) else { break }
  let kept = package.targets.filter { $0.type == .test && suites.contains($0.name) }
  let needed = Set(kept.flatMap(\.dependencies).compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } })
  package.products = []
  package.targets.removeAll {
    $0.type == .test && !suites.contains($0.name) || $0.type == .executable && !needed.contains($0.name)
  }
}

/// Optimizes some targets in a debug build as in a release build, except that their assertions stay.
@MainActor func optimize(_ names: Set<String>) {
  for target in package.targets where names.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
  }
}
