public import Storage

/// Relies on the private layout of `String`: caches the numbers of keys by the two words of a string, so that a repeated
/// key is recognized without reading its text.
///
/// Without it, encoding takes 1.70 times the instructions.
/// `StringWordsTests` fails if a toolchain changes that layout.
/// `Keys.md`, beside this file, tells the life of a key from the call to the file.
///
/// The cache retains every string whose words it stores (``StringWords``), if that has memory to retain. The same text at
/// another address has different words; ``ByteInterner`` finds that one.
@safe @usableFromInline
package struct KeyCache: ~Copyable {
  /// The words of a string, and its number; an empty slot has the words of no string.
  ///
  /// (Not private: the compiler loses private types of generic non-copyable members in debug builds.)
  @usableFromInline
  struct Slot: BitwiseCopyable {
    @usableFromInline var words: StringWords
    @usableFromInline var number: Int
  }

  private static let slotCount = 256
  /// The number of slots in which a string may be, starting at its own; the last of them may be overwritten.
  private static let maximumProbes = 4
  private static var emptySlot: Slot { Slot(words: StringWords(), number: 0) }
  /// The maximum number of retained strings; later ones are looked up by their text.
  private static let maximumStrings = 1024

  @usableFromInline var slots: ScratchArray<Slot>
  private var strings: [String] = []

  /// Creates a cache; one for few keys stores none, and takes no memory.
  package init(isForFewKeys: Bool) {
    let isUsed = StringWords.areKnown && !isForFewKeys
    slots = ScratchArray(repeating: Self.emptySlot, count: isUsed ? Self.slotCount : 0)
    if isUsed { strings.reserveCapacity(128) }
  }

  /// Returns the number of a key, or nil if it is not cached.
  @inlinable @inline(__always)
  package func number(of key: String) -> Int? {
    StringWords.areKnown ? number(of: StringWords(key)) : nil
  }

  /// Returns the number of a key given its words, or nil if it is not cached.
  @inlinable @inline(__always)
  func number(of words: StringWords) -> Int? {
    let place = words.hash
    guard place < slots.count else { return nil }
    let slot = slots[place]
    return slot.words == words ? slot.number : numberNearby(place, words)
  }

  /// Returns the number of a key whose own slot holds another one, or nil if it is not cached.
  @usableFromInline @inline(never)
  func numberNearby(_ place: Int, _ words: StringWords) -> Int? {
    for offset in 1..<Self.maximumProbes {
      let slot = slots[(place &+ offset) & (Self.slotCount - 1)]
      if slot.words == words { return slot.number }
      if slot.words.isEmpty { return nil }
    }
    return nil
  }

  /// Caches the number of a key, unless the key is empty: no state has that key, and cached keys are not checked again.
  package mutating func remember(_ number: Int, of key: String) {
    guard slots.count > 0, strings.count < Self.maximumStrings, !key.isEmpty else { return }
    let words = StringWords(key)
    if words.haveMemory { strings.append(key) }
    let place = words.hash
    for offset in 0..<Self.maximumProbes {
      let next = (place &+ offset) & (Self.slotCount - 1)
      if slots[next].words.isEmpty || offset == Self.maximumProbes - 1 {
        slots[next] = Slot(words: words, number: number)
        return
      }
    }
  }

  /// Clears a full cache: an app that creates new key strings for each save fills it with strings that never recur.
  mutating func makeRoom() {
    if strings.count >= Self.maximumStrings { self = KeyCache(isForFewKeys: slots.count == 0) }
  }

  /// Updates the number of each key, or removes the key if its new number is -1.
  mutating func renumber(_ places: [Int]) {
    guard 2 * strings.count < Self.maximumStrings else {
      self = KeyCache(isForFewKeys: slots.count == 0)
      return
    }
    for index in 0..<slots.count {
      var slot = slots[index]
      guard !slot.words.isEmpty else { continue }
      slot.number = places[slot.number]
      slots[index] = slot.number >= 0 ? slot : Self.emptySlot
    }
  }
}
