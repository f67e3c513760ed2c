/// The report of a salvage for people, line by line: the outcome, the faults of the file, and each loss.
///
///     for line in salvage.report { print(line) }
///
/// Lines are safe to print, deterministic for a file, and created on access.
public struct SalvageReport: RandomAccessCollection, Sendable {
  /// The few lines before those for damage and losses.
  private let head: [String]
  private let damagedRanges: [Range<Int>]
  private let losses: SalvageLosses

  init(_ salvage: ArchiveSalvage) {
    var lines: [String] = []
    if let archive = salvage.archive {
      let count = salvage.nodeCount == 1 ? "1 node" : "\(salvage.nodeCount) nodes"
      lines.append(salvage.losses.isEmpty ? "rescued everything: \(count)" : "rescued \(count)")
      lines.append("the archive has \(archive.count) bytes, the file \(salvage.byteCount)")
    } else {
      lines.append("nothing could be rescued: \(salvage.failure?.description ?? "")")
    }
    if let lostAndFound = salvage.lostAndFound { lines.append("nodes without a known place are below \(lostAndFound.displayText)") }
    head = lines + salvage.faults.map { "fault: \($0)" }
    damagedRanges = salvage.damagedRanges
    losses = salvage.losses
  }

  /// The position of the first line.
  public var startIndex: Int { 0 }
  /// The position after the last line.
  public var endIndex: Int { head.count + damagedRanges.count + losses.count }

  /// The line at `position`.
  public subscript(position: Int) -> String {
    if position < head.count { return head[position] }
    let place = position - head.count
    guard place < damagedRanges.count else { return "lost: \(losses[place - damagedRanges.count])" }
    let range = damagedRanges[place]
    return "damaged: bytes 0x\(String(range.lowerBound, radix: 16)) to 0x\(String(range.upperBound, radix: 16))"
  }
}
