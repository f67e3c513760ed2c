import ArchiveFormat

/// Numbers of objects, by identity: a hash table with open addressing.
///
/// The engine looks up every live object several times while it saves or restores. A dictionary would spend most of that on hashing that
/// withstands chosen keys, and nobody chooses addresses. The objects must be alive as long as they are in it.
struct IdentityTable: ~Copyable {
  /// A place in the table. (Not private: the compiler loses private types of generic non-copyable members in debug builds.)
  struct Slot: BitwiseCopyable {
    /// The address; 0 for a slot that is free.
    var address: UInt = 0
    var number = 0
  }

  private var slots: ScratchArray<Slot>
  /// How far the product of an address is shifted, so that its upper bits are the slot.
  private var shift: UInt64
  private(set) var count = 0

  /// Makes a table with room for `capacity` objects; it grows when more come.
  init(capacity: Int = 0) {
    var bits: UInt64 = 4
    while (1 << bits) < 2 * capacity, bits < 40 { bits += 1 }
    slots = ScratchArray(repeating: Slot(), count: 1 << Int(bits))
    shift = 64 - bits
  }

  /// The slot of an object, or the free one where it belongs.
  @inline(__always)
  private func place(of address: UInt) -> Int {
    // Fibonacci hashing of the page, and behind that the place in it, in steps of 64 bytes: objects that were made together lie together,
    // and a walk meets them together; then so do their slots, and most are in a cache.
    let start = (UInt64(address &>> 12) &* 0x9E37_79B9_7F4A_7C15) &>> shift
    var place = (Int(truncatingIfNeeded: start) &+ Int(address &>> 6 & 63)) & (slots.count &- 1)
    while true {
      let found = slots[place].address
      if found == address || found == 0 { return place }
      place = (place &+ 1) & (slots.count &- 1)
    }
  }

  /// The number of an object, if it has one.
  subscript(object: AnyObject) -> Int? {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    let slot = slots[place(of: address)]
    return slot.address == address ? slot.number : nil
  }

  /// Gives an object a number, unless it has one.
  ///
  /// - Returns: The number that it had.
  mutating func insert(_ number: Int, for object: AnyObject) -> Int? {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    let place = place(of: address)
    if slots[place].address == address { return slots[place].number }
    slots[place] = Slot(address: address, number: number)
    count += 1
    if 2 * count > slots.count { grow() }
    return nil
  }

  /// All numbers, in no particular order.
  var numbers: [Int] {
    (0..<slots.count).filter { slots[$0].address != 0 }.map { slots[$0].number }
  }

  @inline(never)
  private mutating func grow() {
    var larger = ScratchArray<Slot>(repeating: Slot(), count: 2 * slots.count)
    swap(&slots, &larger)
    shift -= 1
    for index in 0..<larger.count where larger[index].address != 0 {
      slots[place(of: larger[index].address)] = larger[index]
    }
  }
}
