import Storage

/// A map from objects, by identity, to numbers: a hash table with open addressing.
///
/// The engine looks up every live object several times during a save or restoration. A dictionary would spend most of
/// that time on collision-resistant hashing, which addresses do not need. Objects must stay alive while they are in the
/// table.
struct IdentityTable: ~Copyable {
  /// A slot of the table. (Not private: the compiler loses private types of generic non-copyable members in debug
  /// builds.)
  struct Slot: BitwiseCopyable {
    /// The address; 0 for a free slot.
    var address: UInt = 0
    var number = 0
  }

  private var slots: ScratchArray<Slot>
  /// The right shift of the hash product whose upper bits select the slot.
  private var shift: UInt64
  private(set) var count = 0

  /// Creates a table with room for `capacity` objects; it grows as needed.
  init(capacity: Int = 0) {
    var bits: UInt64 = 4
    while (1 << bits) < 2 * capacity, bits < 40 { bits += 1 }
    slots = ScratchArray(repeating: Slot(), count: 1 << Int(bits))
    shift = 64 - bits
  }

  /// Returns the slot of an object, or the free slot for it.
  @inline(__always)
  private func place(of address: UInt) -> Int {
    // Fibonacci hashing of the page number, plus the position within the page in steps of 64 bytes. Objects created
    // together are close in memory and are visited together, so their slots are close too and mostly cached.
    let start = (UInt64(address &>> 12) &* 0x9E37_79B9_7F4A_7C15) &>> shift
    var place = (Int(truncatingIfNeeded: start) &+ Int(address &>> 6 & 63)) & (slots.count &- 1)
    while true {
      let found = slots[place].address
      if found == address || found == 0 { return place }
      place = (place &+ 1) & (slots.count &- 1)
    }
  }

  /// The number of an object, or nil.
  subscript(object: AnyObject) -> Int? { self[ObjectIdentifier(object)] }

  /// The number of the object at an address, or nil.
  subscript(object: ObjectIdentifier) -> Int? {
    let address = UInt(bitPattern: object)
    let slot = slots[place(of: address)]
    return slot.address == address ? slot.number : nil
  }

  /// Assigns a number to an object, unless it already has one.
  ///
  /// - Returns: The existing number, or nil if the new one was assigned.
  mutating func insert(_ number: Int, for object: AnyObject) -> Int? {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    let place = place(of: address)
    if slots[place].address == address { return slots[place].number }
    slots[place] = Slot(address: address, number: number)
    count += 1
    if 2 * count > slots.count { grow() }
    return nil
  }

  /// Assigns a number to the object at an address, also if the address already has one, perhaps that of an object that
  /// is gone.
  mutating func update(_ number: Int, at object: ObjectIdentifier) {
    let address = UInt(bitPattern: object)
    let place = place(of: address)
    let isNew = slots[place].address == 0
    slots[place] = Slot(address: address, number: number)
    guard isNew else { return }
    count += 1
    if 2 * count > slots.count { grow() }
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

/// A weak reference to a restorable object.
struct WeakObject {
  weak var object: (any Restorable)?
}
