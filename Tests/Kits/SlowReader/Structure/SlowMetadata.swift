/// The metadata (Spec 4.3).
struct SlowMetadata {
  var volatileHeader: [SlowHeaderEntry] = []
  /// The code and file range of each section, in the order of the body.
  var sections: [(code: [UInt8], range: Range<Int>)] = []
  var header: [SlowHeaderEntry] = []
  var origins: [SlowPlaced<SlowOrigin>] = []
  var types: [SlowPlaced<SlowType>] = []
  var keys: [SlowPlaced<[UInt8]>] = []

  /// The first three sections, required by R-4.3-4.
  var nodeSection: Range<Int> { section(0) }
  var stringSection: Range<Int> { section(1) }
  var stateSection: Range<Int> { section(2) }

  /// The section of a link (Spec 15.2), if there is one.
  var linkSection: Range<Int>? {
    sections.first { $0.code == Array("LINK".utf8) }?.range
  }

  private func section(_ index: Int) -> Range<Int> {
    index < sections.count ? sections[index].range : 0..<0
  }
}

/// A table entry with its offset in the file.
struct SlowPlaced<Content> {
  let offset: Int
  let content: Content
}
