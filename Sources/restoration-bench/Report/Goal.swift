/// A performance goal: a floor that must be met, and a stretch goal.
struct Goal {
  let operation: Operation
  let load: Load
  let yardstick: Yardstick
  let floor: Double
  let stretch: Double

  init(_ operation: Operation, _ load: Load, _ yardstick: Yardstick, floor: Double, stretch: Double) {
    self.operation = operation
    self.load = load
    self.yardstick = yardstick
    self.floor = floor
    self.stretch = stretch
  }

  /// Whether a value is at least as good as a bound.
  func isReached(_ bound: Double, by value: Double) -> Bool {
    yardstick.isMoreBetter ? value >= bound : value <= bound
  }

  /// Returns the shortfall of a value as a fraction of the bound; 0 or less if the bound is met.
  func shortfall(of value: Double, from bound: Double) -> Double {
    yardstick.isMoreBetter ? 1 - value / bound : value / bound - 1
  }
}

extension Goal {
  /// All goals.
  static let all: [Goal] = onEverySize + coding + launching + changing + files + memory

  private static let onEverySize: [Goal] = [Load.small, .medium, .large].flatMap { load in
    [
      Goal(.firstValue, load, .microseconds, floor: 30, stretch: 15),
      Goal(.durableSave, load, .timesSlower(than: .bareWrite), floor: 1.2, stretch: 1),
      Goal(.preserve, load, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
      Goal(.restore, load, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.3),
      Goal(.decode, load, .timesSlower(than: .naive), floor: load == .large ? 1.2 : 1.3, stretch: 1),
      Goal(.size, load, .sizePerPayload, floor: 0.8, stretch: 0.75),
      Goal(.size, load, .sizeRelative(to: .propertyList), floor: 1, stretch: 1),
      Goal(.size, load, .sizeRelative(to: .json), floor: 1, stretch: 1),
      Goal(.check, load, .throughput, floor: load == .medium ? 1 : 0.6, stretch: 2),
    ]
  }

  private static let coding: [Goal] = [
    coding(.small, decode: (propertyList: (floor: 14, stretch: 18), json: (floor: 7, stretch: 9))),
    coding(.medium, decode: (propertyList: (floor: 10, stretch: 12), json: (floor: 6, stretch: 7))), codable, growth,
  ].flatMap(\.self)

  private typealias Bounds = (floor: Double, stretch: Double)

  private static func coding(_ load: Load, decode: (propertyList: Bounds, json: Bounds)) -> [Goal] {
    [
      Goal(.encode, load, .timesFaster(than: .propertyList), floor: 25, stretch: 40),
      Goal(.encode, load, .timesFaster(than: .json), floor: 15, stretch: 25),
      Goal(.encode, load, .timesFaster(than: .naive), floor: 1.1, stretch: 1.4),
      Goal(.decode, load, .timesFaster(than: .propertyList), floor: decode.propertyList.floor, stretch: decode.propertyList.stretch),
      Goal(.decode, load, .timesFaster(than: .json), floor: decode.json.floor, stretch: decode.json.stretch),
    ]
  }

  private static let codable: [Goal] = [
    Goal(.codableEncode, .records, .timesFaster(than: .propertyList), floor: 12, stretch: 20),
    Goal(.codableEncode, .records, .timesFaster(than: .json), floor: 6, stretch: 10),
    Goal(.codableDecode, .records, .timesFaster(than: .propertyList), floor: 15, stretch: 20),
    Goal(.codableDecode, .records, .timesFaster(than: .json), floor: 7.5, stretch: 10),
  ]

  private static let growth: [Goal] = [Load.medium, .large].flatMap { (load: Load) -> [Goal] in
    [Operation.encode, .decode, .check].map { Goal($0, load, .growth, floor: 2, stretch: 1.5) }
  }

  private static let launching: [Goal] =
    [Operation.launch, .launchRestored].flatMap { (launch: Operation) -> [Goal] in
      [
        Goal(launch, .medium, .phase(.firstObject), floor: 2000, stretch: 1500),
        Goal(launch, .medium, .phaseRatio(.restore, to: .engine), floor: 1.3, stretch: 1.1),
        Goal(launch, .large, .phaseRatio(.restore, to: .engine), floor: 1.3, stretch: 1.1),
      ]
    } + [Goal(.scenes, .small, .phase(.manyScenes), floor: 500_000, stretch: 200_000)]

  private static let changing: [Goal] =
    [Operation.saveOne, .changePromised].flatMap { (change: Operation) -> [Goal] in
      [
        Goal(change, .medium, .phase(.captured), floor: 60, stretch: 30),
        Goal(change, .large, .phase(.captured), floor: 100, stretch: 50),
      ]
    } + [
      Goal(.changeRestored, .medium, .phase(.captured), floor: 400, stretch: 250),
      Goal(.changeRestored, .large, .phase(.captured), floor: 80_000, stretch: 55_000),
    ]

  private static let files: [Goal] = [
    Goal(.firstValue, .large, .blocks, floor: 16, stretch: 16),
    Goal(.savePause, .small, .microseconds, floor: 60, stretch: 25),
    Goal(.saveOne, .large, .written, floor: 16, stretch: 8),
    Goal(.saveEdits, .medium, .sizeRelative(to: .whole), floor: 0.02, stretch: 0.01),
    Goal(.loadChain, .medium, .timesSlower(than: .base), floor: 1.5, stretch: 1.2),
    Goal(.loadChain, .large, .timesSlower(than: .base), floor: 1.5, stretch: 1.2),
  ]

  private static let memory: [Goal] = [
    Goal(.memory, .large, .memoryPerArchive(.encode), floor: 1.3, stretch: 1.1),
    Goal(.memory, .large, .memoryPerPayload(.untypedRead), floor: 3.5, stretch: 2),
    Goal(.memory, .large, .memory(.firstValue), floor: 1024, stretch: 64),
  ]
}
