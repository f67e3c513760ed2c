/// The offsets of the sections of an archive, found naively.
public struct ArchiveSections: Sendable {
  /// The body of the file.
  public let body: Range<Int>
  /// The first node record.
  public let nodes: Int
  /// The first identifier in the section of strings.
  public let strings: Int
  /// The first state record.
  public let states: Int

  /// Finds the sections of a valid archive.
  public init(_ bytes: [UInt8]) {
    let metadata = Self.word(bytes, 24)
    let tree = Self.word(bytes, 28)
    body = (64 + metadata + tree)..<(bytes.count - 64 - metadata - tree)
    // Only the directory has these letters followed by their lengths.
    let directory = Array("NODE".utf8)
    var place = 64
    while Array(bytes[place..<(place + 4)]) != directory { place += 1 }
    var lengths: [Int] = []
    for _ in 0..<3 {
      place += 4
      var length = 0
      var shift = 0
      while bytes[place] >= 0x80 {
        length |= Int(bytes[place] & 0x7F) << shift
        shift += 7
        place += 1
      }
      lengths.append(length | Int(bytes[place]) << shift)
      place += 1
    }
    nodes = body.lowerBound
    strings = nodes + lengths[0]
    states = strings + lengths[1]
  }

  /// Returns the little-endian number of four bytes.
  public static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}
