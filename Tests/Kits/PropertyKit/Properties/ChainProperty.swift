import CorpusKit
import Foundation
import RestorationArchive
import SlowReader

/// Arbitrary files as base and links never trap, never loop, and never give a value that no file holds (Spec chapter 15).
///
/// The bytes are one file, or several that follow each other, each as long as its prefix states.
enum ChainProperty {
  /// The archive that a single link is applied to.
  private static let base: [UInt8] = (try? Corpus.bytes(of: "links/base.hex")) ?? []

  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    try PropertyViolation.require(!base.isEmpty, "no base")
    // The slow reader takes a second for a megabyte.
    guard bytes.count <= 1 << 15 else { return }
    let files = split(bytes)
    try compare(files)
    if files.count > 1 { try compare(connected(files)) }
    if (try? ArchiveReader(link: bytes).isLink) == true {
      try compare(connected([base, bytes]))
      try compare(connected([base, bytes, bytes]))
    } else if ArchiveCheck(bytes).isValid {
      try checkLinks(to: bytes)
    }
  }

  /// Checks that links lead from the base to a valid archive, byte for byte, and back.
  private static func checkLinks(to bytes: [UInt8]) throws(PropertyViolation) {
    guard let reader = try? ArchiveReader(bytes), reader.formatVersion == .current else { return }
    // A link has a header entry and a section of its own.
    if reader.header.entries.count > 1020 || ((try? reader.sections().count) ?? 0) > 1020 { return }
    guard let there = try? ArchiveLink.make(from: base, to: bytes), let digest = try? ArchiveReader(link: there).contentDigest,
      let back = try? ArchiveLink.make(from: bytes, to: base, after: digest)
    else { throw PropertyViolation("no link to or from a valid archive") }
    let chain = ArchiveChain(base: base, links: [there])
    try PropertyViolation.require(chain.bytes == bytes, "a link gives other bytes: \(String(describing: chain.error))")
    try compare([base, there, back])
    try PropertyViolation.require(ArchiveChain(base: base, links: [there, back]).bytes == base, "the way back gives other bytes")
  }

  /// Compares the result of a chain with that of the slow reader.
  private static func compare(_ files: [[UInt8]]) throws(PropertyViolation) {
    let chain = ArchiveChain(base: files[0], links: Array(files.dropFirst()))
    let slow = slowResolve(files)
    if files.count == 1 { return try PropertyViolation.require(chain.bytes == files[0] && chain.error == nil, "a base was changed") }
    try PropertyViolation.require(
      chain.appliedCount == slow.appliedCount && chain.error?.code.rawValue == slow.error,
      "\(chain.appliedCount) links and \(String(describing: chain.error)), but \(slow.appliedCount) and \(slow.error ?? "no error")")
    guard chain.appliedCount > 0 else { return try PropertyViolation.require(chain.bytes == files[0], "a base was changed") }
    let findings = ArchiveCheck(chain.bytes).findings
    try PropertyViolation.require(findings.isEmpty, "the result is not valid: \(findings)")
    guard var content = try? slowRead(chain.bytes) else { throw PropertyViolation("the result cannot be read") }
    (content.contentDigest, content.origins) = (0, [])
    try PropertyViolation.require(content == slow.archive, "the result has other content")
  }

  /// Splits bytes into files by the lengths in their prefixes; the last one has the rest.
  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var files: [[UInt8]] = []
    var rest = bytes[...]
    while rest.count > 24, files.count < 8 {
      let length = rest.dropFirst(16).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      guard length >= 64, length < rest.count else { break }
      files.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return files + [Array(rest)]
  }

  /// Returns the files with each link naming the one before it.
  private static func connected(_ files: [[UInt8]]) -> [[UInt8]] {
    var result = [files[0]]
    for file in files.dropFirst() {
      let digest = (try? ArchiveReader(link: result[result.count - 1]).contentDigest) ?? ContentDigest(rawValue: 0)
      result.append((try? ArchiveLink.rebased(file, after: digest)) ?? file)
    }
    return result
  }
}
