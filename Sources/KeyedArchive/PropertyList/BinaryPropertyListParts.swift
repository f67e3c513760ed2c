/// The objects of a binary property list one by one, whether the list as a whole can be read or not: for tools.
package struct BinaryPropertyListParts: Sendable {
  /// An object, or the reason why it cannot be read.
  package struct Part: Sendable {
    /// The number of the object.
    package let number: Int
    /// The offset of its marker.
    package let offset: Int
    /// The object.
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
    var context = ImportContext(.standard, byteCount: bytes.count, .salvage)
    var reader = BinaryPropertyListReader(bytes)
    var error: KeyedArchiveError?
    do throws(KeyedArchiveError) {
      try reader.readTrailer(&context) { error = $0 }
    } catch let fault {
      (error, end, objectCount, offsetSize) = (fault, 0, 0, 1)
      trailerError = error
      return
    }
    trailerError = error
    (end, objectCount, offsetSize) = (reader.endOfObjects, reader.objectCount, reader.offsetSize)
    for number in 0..<objectCount {
      guard let offset = reader.offsetIfValid(of: number) else { continue }
      objects.append(Part(number: number, offset: offset, content: reader.object(at: offset, &context)))
    }
    objects.sort { ($0.offset, $0.number) < ($1.offset, $1.number) }
  }
}
