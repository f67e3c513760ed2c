extension ArchiveResolution {
  /// A numbering of type tags.
  struct TypeNumbers {
    private(set) var tags: [String] = []
    private var numbers: [IdentifierKey: Int32] = [:]

    mutating func number(of tag: String?) -> Int32 {
      guard let tag else { return -1 }
      if let number = numbers[IdentifierKey(tag)] { return number }
      let number = Int32(tags.count)
      numbers[IdentifierKey(tag)] = number
      tags.append(tag)
      return number
    }
  }
}
