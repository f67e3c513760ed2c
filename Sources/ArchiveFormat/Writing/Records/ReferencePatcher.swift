/// Replaces one-byte key references in records just written by this module.
///
/// Trusts the bytes, so it must not be used on files.
struct ReferencePatcher {
  /// The payload length for tags of fixed-size values, and one of the codes below for others.
  private static let sizes: [UInt8] = (UInt8.min...UInt8.max).map { tag in
    switch tag {
    case ValueTag.array, ValueTag.dictionary, ValueTag.sensitive: isSpecial
    default: ValueTag.fixedLength(of: tag).map { UInt8($0) } ?? hasLength
    }
  }
  /// The code for a value with a stored length.
  private static let hasLength: UInt8 = 0xFF
  /// The code for a container, or for the mark of a sensitive value.
  private static let isSpecial: UInt8 = 0xFE

  private let leads: [UInt8]
  private let sizes = Self.sizes

  /// Creates a patcher that replaces each lead byte by `leads[byte]`.
  init(leads: [UInt8]) {
    self.leads = leads
  }

  /// Replaces the references in a state record.
  func patchRecord(_ bytes: inout MutableSpan<UInt8>, _ range: Range<Int>, flags: UInt8) {
    var position = range.lowerBound
    if flags != 0 {
      if flags & NodeRecord.hasProvider != 0 { bytes.span.skipCheckedProvider(at: &position) }
      if flags & NodeRecord.hasAttributes != 0 {
        let length = bytes.span.checkedVarint(at: &position)
        patchEntries(&bytes, &position, end: position &+ length)
      }
    }
    patchEntries(&bytes, &position, end: range.upperBound)
  }

  private func patchEntries(_ bytes: inout MutableSpan<UInt8>, _ position: inout Int, end: Int) {
    while position < end {
      let lead = bytes[position]
      bytes[position] = leads[Int(lead)]
      position &+= 1
      if lead == KeyReference.inlineLead {
        let length = bytes.span.checkedVarint(at: &position)
        position &+= length
      }
      patchValue(&bytes, &position)
    }
  }

  @inline(__always)
  private func patchValue(_ bytes: inout MutableSpan<UInt8>, _ position: inout Int) {
    let tag = bytes[position]
    let size = sizes[Int(tag)]
    position &+= 1
    if size < Self.isSpecial {
      position &+= Int(size)
    } else if size == Self.hasLength {
      let length = bytes.span.checkedVarint(at: &position)
      position &+= length
    } else {
      patchSpecial(tag, &bytes, &position)
    }
  }

  /// Recursive; the writer limits the depth of containers.
  @inline(never)
  private func patchSpecial(_ tag: UInt8, _ bytes: inout MutableSpan<UInt8>, _ position: inout Int) {
    if tag == ValueTag.sensitive { return patchValue(&bytes, &position) }
    let length = bytes.span.checkedVarint(at: &position)
    let end = position &+ length
    if tag == ValueTag.dictionary {
      patchEntries(&bytes, &position, end: end)
    } else {
      while position < end { patchValue(&bytes, &position) }
    }
  }
}
