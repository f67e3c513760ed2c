import Synchronization

/// Captures of an application that follow one another: first everything, then what has changed since the capture before.
///
/// A store can save a capture of changes only after the capture before it. The loss of a capture breaks the chain, and the
/// application captures everything again.
final class CaptureChain: Sendable {
  private let hasEnded = Atomic<Bool>(false)

  /// Whether a capture was lost, so that what has changed since cannot be saved by itself.
  var isBroken: Bool { hasEnded.load(ordering: .acquiring) }

  /// Records that a capture was lost.
  func `break`() { hasEnded.store(true, ordering: .releasing) }
}

/// The place of a capture among those that it follows.
struct CapturePlace: Sendable {
  let chain: CaptureChain
  /// The number of captures before it in the chain.
  let number: Int

  /// Creates the place of a capture of everything.
  init() {
    chain = CaptureChain()
    number = 0
  }

  private init(_ chain: CaptureChain, _ number: Int) {
    self.chain = chain
    self.number = number
  }

  /// The place of the capture that follows.
  var next: CapturePlace { CapturePlace(chain, number + 1) }

  /// Whether a capture comes directly after another one.
  func follows(_ other: CapturePlace?) -> Bool {
    other.map { $0.chain === chain && $0.number + 1 == number } ?? false
  }
}
