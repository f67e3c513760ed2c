import FoundationEssentials
import StateRestoration

/// Times preserving and restoring of live objects against the bare encode and decode of the same values.
///
///     engine-bench [nodes] [repetitions]
@main
struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let counts = arguments.isEmpty ? [40, 3_000, 50_000, 100_000, 200_000] : [arguments[0]]
    print("nodes      preserve   bare encode  ratio   restore    bare decode  ratio   (median ms)")
    for count in counts {
      try measure(count, repetitions: arguments.count > 1 ? arguments[1] : max(5, 200 / max(1, count / 1_000)).clamped(to: 5...200))
    }
  }

  private static func measure(_ count: Int, repetitions: Int) throws {
    let root = makeTree(count)
    var preserving: [Double] = [], encoding: [Double] = [], restoring: [Double] = [], decoding: [Double] = []
    let application = RestorableApplication(roots: [root])
    try application.startFresh()
    let header = ArchiveHeader(bundleVersion: "1")
    var data: Data?
    for _ in 0..<repetitions {
      preserving.append(try milliseconds { data = try application.preserve(header: header).archive })
      encoding.append(try milliseconds { _ = try encodeBare(root, header, count) })
    }
    guard let data else { return }
    let archive = try ArchiveReader(data)
    for _ in 0..<repetitions {
      decoding.append(try milliseconds { _ = try decodeBare(archive.application()) })
      let next = RestorableApplication()
      let resolver = try Resolver { Factory(type: "Node") { BenchObject($0.identifier) } }
      restoring.append(try milliseconds { _ = try next.restore(from: archive, with: resolver) })
    }
    let medians = [preserving, encoding, restoring, decoding].map { $0.sorted()[$0.count / 2] }
    print(
      pad("\(count)", 10), pad(text(medians[0]), 10), pad(text(medians[1]), 12), pad(text(medians[0] / medians[1]), 7),
      pad(text(medians[2]), 10), pad(text(medians[3]), 12), pad(text(medians[2] / medians[3]), 7))
  }

  // MARK: The objects

  /// A tree of `count` objects, each with two to six below it.
  private static func makeTree(_ count: Int) -> BenchObject {
    let root = BenchObject("root")
    var objects = [root]
    var parent = 0
    while objects.count < count {
      for place in 0..<min(2 + parent % 5, count - objects.count) {
        let object = BenchObject("item-\(place)")
        fill(object, objects.count)
        objects[parent].children.append(object)
        if objects.count % 10 == 0 { object.neighbour = objects[objects.count / 2] }
        objects.append(object)
      }
      parent += 1
    }
    return root
  }

  private static func fill(_ object: BenchObject, _ number: Int) {
    object.title = "A title with number \(number)"
    object.subtitle = "subtitle \(number % 7)"
    object.detail = "Some detail that is a little longer than the rest"
    object.path = "/home/user/documents/\(number).txt"
    object.row = number
    object.column = number % 80
    object.offset = Double(number) / 3
    object.zoom = 1.5
    object.isOpen = number % 2 == 0
    object.isSelected = number % 3 == 0
    object.date = Date(timeIntervalSinceReferenceDate: Double(number))
  }

  // MARK: Without an engine

  private static func encodeBare(_ root: BenchObject, _ header: ArchiveHeader, _ count: Int) throws -> Data {
    let writer = ArchiveWriter(header: header, expectedNodeCount: count)
    func add(_ object: BenchObject, _ parent: ArchiveWriter.Node?) throws {
      let node = try writer.addNode(object.restorationIdentifier ?? "", under: parent, type: "Node", schemaVersion: 1) {
        try object.encodeValues(with: $0)
      }
      for child in object.children { try add(child, node) }
    }
    try add(root, nil)
    return try writer.finish()
  }

  private static func decodeBare(_ parent: ArchivedNode) throws -> [BenchObject] {
    try parent.children().map { node in
      let object = BenchObject(node.identifier ?? "")
      try object.decodeValues(with: node.decoder())
      object.children = try decodeBare(node)
      return object
    }
  }

  // MARK: Timing

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let duration = try clock.measure(body)
    return Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
  }

  private static func text(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
