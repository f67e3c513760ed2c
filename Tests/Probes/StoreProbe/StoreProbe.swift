import Dispatch
import Foundation
import StateRestoration

/// Programs for tests of the store that need a separate process.
///
///     store-probe save FOLDER            saves states one after the other, and prints the number of each
///     store-probe fight FOLDER COUNT     the same, COUNT times, waiting while another process holds the store
///     store-probe launch FOLDER [PATH]   restores, aborts when PATH is decoded; saves, becomes stable and ends
///     store-probe late FOLDER [PATH]     the same, with files that are not accessible at first
///     store-probe moved FOLDER [PATH]    the same with a build that has "root/worse" instead of "root/bad"
///     store-probe live FOLDER [changes]  restores, works, saves, maybe what has changed, and prints its state, until killed
///     store-probe die FOLDER [HOW]       restores, and dies by a trap, abort, overflow, signal, ... while decoding
///     store-probe blame FOLDER N WAY HOW dies in callback N in some way, and prints which one that is
///     store-probe bad FOLDER N T S       saves N bad objects of T types in S scenes
///     store-probe loop FOLDER HOW REC    opens all scenes, whose bad objects kill it in some way
///     store-probe tabs FOLDER            moves tabs between windows, closes and opens windows, and prints its state, until killed
///     store-probe hold FOLDER            saves the number in each line of input, and prints the outcome
///     store-probe relative FOLDER        opens "store" in FOLDER by a relative path, saves 1, changes the working directory, saves 2
///     store-probe limited FOLDER         saves with a limit on the size of files, and prints the outcomes
///     store-probe visit FOLDER ...       launches, loads, saves and loads again in each folder, and prints the results
///     store-probe read FILE ...          opens each file as an archive, and prints its errors
///     store-probe wait FOLDER [stuck]    changes its state, prints "ready", waits for a signal, maybe blocked
@main
struct StoreProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let folder = arguments[2]
    switch arguments[1] {
    case "save": try save(folder, count: .max)
    case "fight": try fight(folder, count: Int(arguments[3]) ?? 0)
    case "launch": try LaunchProbe.run(folder, abortingAt: arguments.count > 3 ? arguments[3] : nil)
    case "late": try LaunchProbe.run(folder, abortingAt: arguments.count > 3 ? arguments[3] : nil, isLate: true)
    case "moved": try LaunchProbe.run(folder, abortingAt: arguments.count > 3 ? arguments[3] : nil, isMoved: true)
    case "live": try LivingProbe.run(folder, savesChanges: arguments.count > 3)
    case "die": try DyingProbe.run(folder, arguments.count > 3 ? arguments[3] : "")
    case "blame": try BlameProbe.run(folder, Int(arguments[3]) ?? 0, arguments[4], mapsPages: arguments[5] == "mapped")
    case "bad": try LoopProbe.make(folder, Int(arguments[3]) ?? 0, Int(arguments[4]) ?? 0, Int(arguments[5]) ?? 1)
    case "loop": try LoopProbe.run(folder, arguments[3], isRecorded: arguments[4] == "recorded")
    case "tabs": try TabsProbe.run(folder)
    case "hold": try VisitingProbe.hold(folder)
    case "relative": try VisitingProbe.saveRelative(folder)
    case "limited": try VisitingProbe.saveLimited(folder)
    case "visit": for folder in arguments.dropFirst(2) { VisitingProbe.visit(folder) }
    case "read": for file in arguments.dropFirst(2) { VisitingProbe.read(file) }
    case "wait": try await WaitingProbe.run(folder, isStuck: arguments.count > 3)
    default:
      print("usage: store-probe save|fight|launch|late|moved|live|die|blame|bad|loop|tabs|hold|relative|limited|visit|read|wait FOLDER …")
    }
  }

  private static func save(_ folder: String, count: Int) throws {
    let store = try RestorationStore(folder: folder)
    var number = try store.load().archive.map { try Self.number(in: $0.reader) } ?? 0
    for _ in 0..<count {
      number += 1
      try store.save(archive(number))
      say("\(number)")
    }
  }

  private static func fight(_ folder: String, count: Int) throws {
    var saved = 0
    var refusals = 0
    while saved < count {
      do throws(StoreError) {
        let store = try RestorationStore(folder: folder)
        let number = try store.load().archive.flatMap { try? Self.number(in: $0.reader) } ?? 0
        guard let bytes = try? archive(number + 1) else { return }
        try store.save(bytes)
        saved += 1
      } catch {
        guard case .inUse = error else { throw error }
        refusals += 1
      }
    }
    say("\(saved)")
  }

  /// Prints a line immediately, whatever ends the process.
  static func say(_ line: String) {
    try? FileHandleOutput.write(line + "\n")
  }

  static func archive(_ number: Int) throws -> Data {
    let filler = String(repeating: "state ", count: number % 4000)
    return try ArchiveTree(applicationState: ["number": .integer(number), "filler": .string(filler)]).encoded()
  }

  static func number(in reader: ArchiveReader) throws -> Int {
    try reader.application().decoder().decode(Int.self, forKey: "number")
  }
}
