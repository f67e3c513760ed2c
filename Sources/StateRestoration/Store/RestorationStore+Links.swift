#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// The files of a generation that this process has written: an archive, and links that follow it.
struct WrittenChain {
  /// The length of the archive.
  let byteCount: Int
  /// The number of links, and their length together.
  var linkCount = 0
  var linkByteCount = 0
  /// The digest of the last file.
  var lastDigest: ContentDigest

  /// The length that all links together may have.
  private var room: Int { max(StoredArchive.shortLength, byteCount) }

  /// Whether another link may follow.
  ///
  /// If folding lags behind, a chain may grow to twice the size at which it is folded.
  /// An archive of one block is written as a whole: a link takes a block too.
  func takes(_ link: [UInt8], limit: Int, _ policy: LinkPolicy) -> Bool {
    guard linkCount < min(2 * limit, ArchiveLink.maximumCount), linkByteCount + link.count <= 2 * room else { return false }
    return policy.isEager || byteCount > 4096 && link.count < byteCount
  }

  /// Whether the chain is long enough to be folded.
  func isLong(limit: Int) -> Bool { linkCount >= limit || linkByteCount > room }

  /// Adds a link.
  mutating func add(_ link: [UInt8]) {
    linkCount += 1
    linkByteCount += link.count
    lastDigest = ContentDigest(ofArchive: Data(link)) ?? lastDigest
  }
}

/// Writing links.
extension RestorationStore {
  /// A link to be written.
  struct Link {
    enum Form {
      /// What an application has captured.
      case changes(EncodedLink)
      /// The difference from the content before.
      case difference(ArchiveToSave, from: ArchiveToSave)
    }

    let form: Form
    let place: CapturePlace?

    init(_ form: Form, _ place: CapturePlace?) {
      self.form = form
      self.place = place
    }
  }

  /// The greatest length of an archive that is kept in memory to be compared with the next one.
  static let maximumCompared = 1 << 25

  /// Writes a link after the current generation; nil if none may follow, or if it would not be shorter.
  func writeLink(
    _ link: Link, after current: Current, at time: Date?, _ catalog: GenerationCatalog, _ state: inout State
  ) throws(StoreError) -> SaveOutcome? {
    let archive = current.generation.archive
    guard var chain = current.chain, state.pending[archive]?.removal == nil,
      catalog.links(of: current.generation).map(\.place) == Array(1..<(chain.linkCount + 1))
    else { return nil }
    let bytes = try self.bytes(of: link, after: chain.lastDigest)
    guard chain.takes(bytes, limit: limits.links, linkPolicy) else { return nil }
    // If a step fails, the link may exist all the same. The end of the chain is then unknown, and nothing may be added.
    state.current[archive] = nil
    let name = GenerationLink(archive, current.generation.number, chain.linkCount + 1).fileName
    do throws(StoreError) {
      try replace(name, with: bytes, &state)
    } catch {
      current.place?.chain.break()
      throw error
    }
    chain.add(bytes)
    var written = current
    written.chain = chain
    written.isFlushed = true
    written.place = link.place
    switch link.form {
    case .changes: (written.digest, written.content) = (nil, nil)
    case .difference(let saved, _): (written.digest, written.content) = (saved.digest, saved)
    }
    if let time { confirm(archive, Confirmation(digest: chain.lastDigest.rawValue, time: time)) }
    noteOffers(of: archive, &state)
    state.current[archive] = written
    if state.history?.noteSaved(archive, isChanged: true) == true { writeBreadcrumb(&state) }
    try noteSaved(written, &state)
    return .saved(written.generation)
  }

  private func bytes(of link: Link, after digest: ContentDigest) throws(StoreError) -> [UInt8] {
    switch link.form {
    case .changes(let encoded): return try wrappingErrors { () throws(ArchiveError) in [UInt8](try encoded.data(after: digest)) }
    case .difference(var saved, var before):
      let (result, base) = (try saved.opened().bytes, try before.opened().bytes)
      return try wrappingErrors { () throws(ArchiveError) in try ArchiveLink.make(from: base, to: result, after: digest) }
    }
  }
}
