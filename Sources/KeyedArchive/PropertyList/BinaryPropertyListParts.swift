/// The objects of a binary property list one by one, whether the list as a whole can be read or not: for tools.
package struct BinaryPropertyListParts: Sendable {
  /// An object, or the reason why it cannot be read.
  package struct Part: Sendable {
    /// The number of the object.
    package let number: Int
    /// The offset of its marker.
    package let offset: Int
    package let content: Result<PropertyList.Object, KeyedArchiveError>
  }

  /// The objects in the order of their offsets.
  ///
  /// Those with an offset outside the objects are left out.
  package private(set) var objects: [Part] = []
  /// The end of the objects, which is the offset of the offset table unless it cannot be read.
  package let end: Int
  /// The number of objects in the offset table.
  package let objectCount: Int
  /// The size of an entry of the offset table.
  package let offsetSize: Int
  /// The fault in the trailer; nil if there is none.
  package let trailerError: KeyedArchiveError?

  /// Reads the parts of a list.
  ///
  /// - Complexity: O(n log n) in the length of the file. Objects that overlap too much are not read.
  package init(_ bytes: [UInt8]) {
    let context = ImportContext(.standard, byteCount: bytes.count, .salvage)
    var reader = BinaryPropertyListReader(bytes, context)
    try? reader.readTrailer()
    trailerError = reader.trailerError
    (end, objectCount, offsetSize) = (reader.trailer.tableOffset, reader.trailer.objectCount, reader.trailer.offsetSize)
    for number in 0..<objectCount {
      guard let offset = try? reader.offset(of: number) else { continue }
      let content = Result { () throws(KeyedArchiveError) in
        try context.create(at: offset)
        return try reader.object(at: offset).0
      }
      objects.append(Part(number: number, offset: offset, content: content))
    }
    objects.sort { ($0.offset, $0.number) < ($1.offset, $1.number) }
  }
}

/// A search for the objects of a binary property list whose offset table is lost, for example because the file was cut
/// off (`Spec/imports.md`, rule R-K2-8).
///
/// Every known writer puts the objects one after the other, in the order of their numbers, and the outermost one first.
/// The size of a reference is not known. It is that with which most keys of dictionaries are different strings.
package struct BinaryObjectSearch {
  /// The offsets of the objects, in file order.
  package private(set) var offsets: [Int] = []
  /// The end of the last object that is whole.
  package private(set) var end = 0
  package private(set) var referenceSize = 1

  /// Searches for the objects that are whole.
  ///
  /// - Complexity: O(n).
  init(_ bytes: [UInt8], _ context: ImportContext) throws(KeyedArchiveError) {
    var best = Int.min
    for size in [1, 2, 4, 3, 8] {
      try context.spend(bytes.count, at: nil)
      let trailer = BinaryPropertyListTrailer(referenceSize: size, tableOffset: bytes.count)
      let (offsets, end, dictionaries) = Self.objects(in: bytes, BinaryPropertyListReader(bytes, context, trailer: trailer))
      var score = end
      for keys in dictionaries {
        // A wrong size makes many keys that are no strings, that occur twice in a dictionary, or that are far too large.
        score -= bytes.count * (keys.count - Set(keys).count)
        for key in keys {
          if key >= offsets.count {
            // Of a list that was cut off, some keys may have been behind the cut.
            score -= Self.keyWeight
          } else {
            score += [0x50, 0x60].contains(bytes[offsets[key]] & 0xF0) ? Self.keyWeight : -bytes.count
          }
        }
      }
      if score > best, !offsets.isEmpty { (best, self.offsets, self.end, referenceSize) = (score, offsets, end, size) }
    }
  }

  /// The number of bytes that a key is worth: an object that a cut or a wrong size skips can have some hundred bytes.
  private static let keyWeight = 16

  /// Returns the offsets of the objects, the end of the last one, and the references to the keys of each dictionary.
  private static func objects(
    in bytes: [UInt8], _ reader: BinaryPropertyListReader
  ) -> (offsets: [Int], end: Int, dictionaries: [[Int]]) {
    let size = reader.trailer.referenceSize
    var offsets: [Int] = []
    var dictionaries: [[Int]] = []
    var position = BinaryPropertyListReader.headerByteCount
    // No writer makes a UID of more than eight bytes.
    while position < bytes.count, !(0x88...0x8F).contains(bytes[position]), let (count, content) = try? reader.extent(at: position) {
      offsets.append(position)
      if bytes[position] >= 0xD0, count > 0 {
        let starts = stride(from: content.startIndex, to: content.startIndex + count * size, by: size)
        dictionaries.append(starts.map { Int(clamping: BinaryPropertyListReader.integer(bytes[$0..<($0 + size)])) })
      }
      position = content.endIndex
    }
    return (offsets, position, dictionaries)
  }
}
