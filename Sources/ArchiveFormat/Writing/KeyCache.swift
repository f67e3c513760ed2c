/// Remembers the numbers of keys by the two words that a string consists of, so that a key that comes again is known without a look at its text.
///
/// The words of a short string are its text; those of a longer one say where its text lies and how long it is. That stays so as long as
/// somebody holds the string: its memory is not given away, and whoever else changes a string that is held by two, changes a copy. So the
/// cache holds every string whose words it knows. The same text in another place has other words and is found by ``ByteInterner``.
@safe struct KeyCache: ~Copyable {
  /// The words of a string and its number; no string has the words of an empty slot. (Not private: the compiler loses private types of
  /// generic non-copyable members in debug builds.)
  struct Slot: BitwiseCopyable {
    var words: Words
    var number: Int
  }

  struct Words: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
  }

  private static let slotCount = 256
  /// How many strings are held at most; later ones are looked up by their text.
  private static let mostStrings = 1024
  /// Whether strings are what the cache takes them for, two words; where they are not, on systems of 32 bits, it stays empty.
  private static var knowsStrings: Bool { MemoryLayout<String>.size == MemoryLayout<Words>.size }

  private var slots: ScratchArray<Slot>
  private var strings: [String] = []

  /// Makes a cache; one that is for few keys remembers none, and takes no memory.
  init(isForFewKeys: Bool) {
    let isUsed = Self.knowsStrings && !isForFewKeys
    slots = ScratchArray(repeating: Slot(words: Words(first: 0, second: 0), number: 0), count: isUsed ? Self.slotCount : 0)
    if isUsed { strings.reserveCapacity(128) }
  }

  /// The number of a key, if it is remembered.
  @inline(__always)
  func number(of key: String) -> Int? {
    guard Self.knowsStrings else { return nil }
    let words = unsafe unsafeBitCast(key, to: Words.self)
    let place = Self.place(of: words)
    guard place < slots.count else { return nil }
    let slot = slots[place]
    return slot.words.first == words.first && slot.words.second == words.second ? slot.number : nil
  }

  /// Remembers the number of a key.
  mutating func remember(_ number: Int, of key: String) {
    guard slots.count > 0, strings.count < Self.mostStrings else { return }
    strings.append(key)
    let words = unsafe unsafeBitCast(key, to: Words.self)
    slots[Self.place(of: words)] = Slot(words: words, number: number)
  }

  @inline(__always)
  private static func place(of words: Words) -> Int {
    let product = (words.first ^ (words.second &<< 1)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product &>> 56)
  }
}
