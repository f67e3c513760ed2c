extension Goal {
  /// All goals.
  static let all: [Goal] = [
    Goal(.encode, .small, .timesFaster(than: .propertyList), floor: 45, stretch: 65),
    Goal(.encode, .small, .timesFaster(than: .json), floor: 35, stretch: 50),
    Goal(.encode, .medium, .timesFaster(than: .propertyList), floor: 45, stretch: 65),
    Goal(.encode, .medium, .timesFaster(than: .json), floor: 35, stretch: 50),
    Goal(.encode, .large, .timesFaster(than: .propertyList), floor: 35, stretch: 65),
    Goal(.encode, .large, .timesFaster(than: .json), floor: 28, stretch: 50),

    Goal(.decode, .small, .timesFaster(than: .propertyList), floor: 45, stretch: 60),
    Goal(.decode, .small, .timesFaster(than: .json), floor: 24, stretch: 32),
    Goal(.decode, .medium, .timesFaster(than: .propertyList), floor: 45, stretch: 60),
    Goal(.decode, .medium, .timesFaster(than: .json), floor: 24, stretch: 32),
    Goal(.decode, .large, .timesFaster(than: .propertyList), floor: 40, stretch: 60),
    Goal(.decode, .large, .timesFaster(than: .json), floor: 22, stretch: 32),

    Goal(.codableEncode, .records, .timesFaster(than: .propertyList), floor: 10, stretch: 13),
    Goal(.codableEncode, .records, .timesFaster(than: .json), floor: 5, stretch: 6.5),
    Goal(.codableDecode, .records, .timesFaster(than: .propertyList), floor: 13, stretch: 18),
    Goal(.codableDecode, .records, .timesFaster(than: .json), floor: 6, stretch: 8),

    Goal(.firstValue, .small, .microseconds, floor: 30, stretch: 30),
    Goal(.firstValue, .medium, .microseconds, floor: 60, stretch: 30),
    Goal(.firstValue, .large, .microseconds, floor: 60, stretch: 30),
    Goal(.firstValue, .large, .blocks, floor: 35, stretch: 35),

    Goal(.check, .small, .throughput, floor: 0.6, stretch: 2),
    Goal(.check, .medium, .throughput, floor: 1, stretch: 2),
    Goal(.check, .large, .throughput, floor: 0.6, stretch: 2),

    Goal(.savePause, .small, .microseconds, floor: 60, stretch: 40),
    Goal(.durableSave, .small, .timesSlower(than: .bareWrite), floor: 1.2, stretch: 1.1),
    Goal(.durableSave, .medium, .timesSlower(than: .bareWrite), floor: 1.2, stretch: 1.1),
    Goal(.durableSave, .large, .timesSlower(than: .bareWrite), floor: 1.2, stretch: 1.1),

    Goal(.preserve, .small, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
    Goal(.preserve, .medium, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
    Goal(.preserve, .large, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
    Goal(.restore, .small, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
    Goal(.restore, .medium, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
    Goal(.restore, .large, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),

    Goal(.size, .small, .sizePerPayload, floor: 0.95, stretch: 0.88),
    Goal(.size, .medium, .sizePerPayload, floor: 0.95, stretch: 0.88),
    Goal(.size, .large, .sizePerPayload, floor: 1, stretch: 0.88),
    Goal(.size, .small, .sizeRelative(to: .propertyList), floor: 1, stretch: 1),
    Goal(.size, .small, .sizeRelative(to: .json), floor: 1, stretch: 1),
    Goal(.size, .medium, .sizeRelative(to: .propertyList), floor: 1, stretch: 1),
    Goal(.size, .medium, .sizeRelative(to: .json), floor: 1, stretch: 1),
    Goal(.size, .large, .sizeRelative(to: .propertyList), floor: 1, stretch: 1),
    Goal(.size, .large, .sizeRelative(to: .json), floor: 1, stretch: 1),

    Goal(.memory, .large, .memoryPerArchive(.encode), floor: 1.3, stretch: 1.1),
    Goal(.memory, .large, .memoryPerPayload(.decode), floor: 3.5, stretch: 3),
    Goal(.memory, .large, .memory(.firstValue), floor: 1024, stretch: 256),

    Goal(.encode, .large, .growth, floor: 2, stretch: 1.5),
    Goal(.decode, .large, .growth, floor: 2, stretch: 1.5),
    Goal(.check, .large, .growth, floor: 2, stretch: 1.5),
  ]
}
