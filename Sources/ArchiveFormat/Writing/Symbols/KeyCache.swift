/// Remembers the numbers of keys by the two words that a string consists of, so that a key that comes again is known without a look at its text.
///
/// The cache holds every string whose words it knows (``StringWords``). The same text in another place has other words and is found by
/// ``ByteInterner``.
@safe @usableFromInline
struct KeyCache: ~Copyable {
  /// The words of a string and its number; no string has the words of an empty slot. (Not private: the compiler loses private types of
  /// generic non-copyable members in debug builds.)
  @usableFromInline
  struct Slot: BitwiseCopyable {
    @usableFromInline var words: StringWords
    @usableFromInline var number: Int
  }

  private static let slotCount = 256
  /// How many slots a string may lie in, from its own one on; the last of them may be taken from another.
  private static let longestWay = 4
  private static var emptySlot: Slot { Slot(words: StringWords(), number: 0) }
  /// How many strings are held at most; later ones are looked up by their text.
  private static let mostStrings = 1024

  @usableFromInline var slots: ScratchArray<Slot>
  private var strings: [String] = []

  /// Makes a cache; one that is for few keys remembers none, and takes no memory.
  init(isForFewKeys: Bool) {
    let isUsed = StringWords.areKnown && !isForFewKeys
    slots = ScratchArray(repeating: Self.emptySlot, count: isUsed ? Self.slotCount : 0)
    if isUsed { strings.reserveCapacity(128) }
  }

  /// The number of a key, if it is remembered.
  @inlinable @inline(__always)
  func number(of key: String) -> Int? {
    StringWords.areKnown ? number(of: StringWords(key)) : nil
  }

  /// The number of a key, given its words, if it is remembered.
  @inlinable @inline(__always)
  func number(of words: StringWords) -> Int? {
    let place = Self.place(of: words)
    guard place < slots.count else { return nil }
    let slot = slots[place]
    return slot.words == words ? slot.number : numberNearby(place, words)
  }

  /// The number of a key whose own slot is taken by another one.
  @usableFromInline @inline(never)
  func numberNearby(_ place: Int, _ words: StringWords) -> Int? {
    for offset in 1..<Self.longestWay {
      let slot = slots[(place &+ offset) & (Self.slotCount - 1)]
      if slot.words == words { return slot.number }
      if slot.words.isEmpty { return nil }
    }
    return nil
  }

  /// Remembers the number of a key, unless it is empty: that is no key of a state, and what is remembered is not looked at.
  mutating func remember(_ number: Int, of key: String) {
    guard slots.count > 0, strings.count < Self.mostStrings, !key.isEmpty else { return }
    strings.append(key)
    let words = StringWords(key)
    let place = Self.place(of: words)
    for offset in 0..<Self.longestWay {
      let next = (place &+ offset) & (Self.slotCount - 1)
      if slots[next].words.isEmpty || offset == Self.longestWay - 1 {
        slots[next] = Slot(words: words, number: number)
        return
      }
    }
  }

  /// Forgets all keys if no more can be remembered: an app that makes its keys anew for each save fills the cache with strings that never
  /// come again.
  mutating func makeRoom() {
    if strings.count >= Self.mostStrings { self = KeyCache(isForFewKeys: slots.count == 0) }
  }

  /// Gives each key its new number, or forgets it where that is -1.
  mutating func renumber(_ places: [Int]) {
    guard 2 * strings.count < Self.mostStrings else {
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

  @inlinable @inline(__always)
  static func place(of words: StringWords) -> Int {
    let product = (words.first ^ (words.second &<< 1)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product &>> 56)
  }
}
