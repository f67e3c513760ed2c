import ArchiveFormat
import Testing

@testable import RestorationArchive

/// The assemblers that wait for reuse by a writer.
@Suite struct AssemblerPoolTests {
  @Test(
    "the last two are kept and the last is reused first; one that is not ready is reused only if it is the only one",
    arguments: [
      ([], []), ([true], [0]), ([false], [0]), ([true, true], [1, 0]), ([false, false], [0]), ([true, false], [0]),
      ([false, true], [1, 0]), ([false, true, true], [2, 1]), ([true, true, false], [1, 0]), ([true, true, true], [2, 1]),
    ] as [([Bool], [Int])])
  func keepsFew(_ areReady: [Bool], _ expected: [Int]) {
    let returned = AssemblerPool()
    let assemblers = areReady.map { _ in ArchiveAssembler() }
    for (assembler, isReady) in zip(assemblers, areReady) { returned.put(assembler, isReady: isReady) }
    var taken: [Int?] = []
    while let assembler = returned.take() { taken.append(assemblers.firstIndex { $0 === assembler }) }
    #expect(taken == expected)
  }
}
