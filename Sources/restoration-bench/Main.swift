import Foundation
import RestorationArchive

@inline(never) func blackHole<T>(_ x: T) {}

@main
struct RestorationBench {
  static func time(_ name: String, _ runs: Int, _ bytes: Int, _ body: () throws -> Void) rethrows {
    var best = Double.infinity
    var all: [Double] = []
    for _ in 0..<runs {
      let start = ContinuousClock.now
      try body()
      let d = ContinuousClock.now - start
      let t = Double(d.components.seconds) + Double(d.components.attoseconds) / 1e18
      best = min(best, t); all.append(t)
    }
    all.sort()
    print(name, "min", best * 1e6, "us median", all[all.count / 2] * 1e6, "us", Double(bytes) / all[all.count / 2] / 1e9, "GB/s")
  }
  static func main() throws {
    if CommandLine.arguments.count > 2, CommandLine.arguments[1] == "profile" {
      if CommandLine.arguments[2] == "micro" {
        let t0 = ContinuousClock.now
        defer { print("per archive", (ContinuousClock.now - t0) / 200) }
        for _ in 0..<200 {
          let writer = ArchiveWriter(expectedNodeCount: 40)
          for node in 0..<40 {
            try writer.addNode("node-\(node)", type: "Window") { coder in
              try coder.encode(1.5, forKey: "alpha")
              try coder.encode(0.1, forKey: "beta")
              try coder.encode(true, forKey: "gamma")
              try coder.encode(7, forKey: "scrollOffset")
              try coder.encode(70000, forKey: "selectedItemIdentifier")
              try coder.encode("some text of medium length", forKey: "searchQuery")
              try coder.encode("short", forKey: "windowFrame")
              try coder.encode(3.25, forKey: "zoomScale")
              try coder.encode(false, forKey: "isEditing")
              try coder.encode(1e10, forKey: "navigationTitle")
              try coder.encode(-3, forKey: "pageNumber")
              try coder.encode("x", forKey: "attachmentCount")
            }
          }
          _ = try writer.finish()
        }
        return
      }
      let workload = Workload(CommandLine.arguments.count > 3 ? .medium : .small)
      let bytes = [UInt8](try ArchiveRunner.encode(workload))
      for _ in 0..<(CommandLine.arguments.count > 3 ? 300 : 200) {
        if CommandLine.arguments[2] == "encode" { _ = try ArchiveRunner.encode(workload) }
        if CommandLine.arguments[2] == "decode" { _ = try ArchiveRunner.decode(bytes) }
        if CommandLine.arguments[2] == "check" { _ = ArchiveCheck(bytes) }
      }
      return
    }
    for size in WorkloadSize.allCases {
      if size == .large && CommandLine.arguments.count < 2 { continue }
      let workload = Workload(size)
      let c = workload.counts
      print(
        size, c.nodes, c.depth, c.values, c.strings, c.payload, Double(c.nonASCIIStrings) / Double(c.strings) * 100,
        workload.probe.path.count)
      let data = try ArchiveRunner.encode(workload)
      let bytes = [UInt8](data)
      print("size", data.count, Double(data.count) / Double(c.payload), ArchiveCheck(bytes).findings.count)
      if size != .large {
        let plist = PropertyListEncoder(); plist.outputFormat = .binary
        let p = try plist.encode(workload.roots), j = try JSONEncoder().encode(workload.roots)
        print("plist", p.count, "json", j.count)
        try time("plist encode", 5, p.count) { _ = try plist.encode(workload.roots) }
        try time("json encode", 5, j.count) { _ = try JSONEncoder().encode(workload.roots) }
        try time("plist decode", 5, p.count) { _ = try PropertyListDecoder().decode([BenchNode].self, from: p) }
        try time("json decode", 5, j.count) { _ = try JSONDecoder().decode([BenchNode].self, from: j) }
      }
      let runs = size == .small ? 2000 : size == .medium ? 60 : 5
      time("walk", runs, bytes.count) { blackHole(ModelWalk.walk(workload)) }
      try time("encode", runs, bytes.count) { _ = try ArchiveRunner.encode(workload) }
      try time("decode", runs, bytes.count) { _ = try ArchiveRunner.decode(bytes) }
      time("check", runs, bytes.count) { _ = ArchiveCheck(bytes) }
      try data.write(to: URL(filePath: "/tmp/bench-\(size).rsta"))
      let path = try RestorationPath(components: workload.probe.path)
      try time("first", 500, bytes.count) {
        _ = try ArchiveReader(contentsOfFile: "/tmp/bench-\(size).rsta").decoder(at: path).decode(String.self, forKey: workload.probe.key)
      }
    }
  }
}
