extension HandMadeFile {
  /// The smallest archive: no header, no nodes, no state.
  static let smallest = HandMadeFile()

  /// An archive with five nodes, long and short identifiers, and nested values.
  static let nested: HandMadeFile = {
    var file = HandMadeFile()
    file.volatileHeader = [2] + string("timestamp") + [0x32, 0xf8, 0x3f] + string("writer") + [0x84] + utf8("hand")
    file.header = [2] + string("bundleVersion") + [0x82] + utf8("42") + string("com.example.channel") + [0x84] + utf8("beta")
    file.origins = [1, 3] + string("41") + [0, 0, 0, 0, 0, 0, 0xf8, 0x3f] + [2]
    file.types = [2] + string("List") + [1] + string("Window") + [2]
    file.keys = [8] + ["", "com.example.note", "deep", "row", "theme", "title", "token", "zoom"].flatMap(string)
    file.strings = utf8("a-long-long-identifier") + utf8("zz-überaus-langer-name")

    let application = [5, 0x84] + utf8("dark")
    let root = [3, 0x04, 8, 0x41, 0x05, 5, 1, 0x00, 4, 0x18, 0x00] + [7, 0x03, 0x83] + utf8("abc") + [8, 0x22, 0xf8, 0x3f]
    let list = string("Main") + string("list") + [4, 0x47]
    let last = [3, 2, 0x81, 0x78] + [6, 0x06, 70] + [UInt8](repeating: 0x78, count: 70)
    file.states = application + root + list + last

    let (listStart, lastStart) = (application.count + root.count, file.states.count - last.count)
    file.records = [
      Record(childCount: 2, stateOffset: 0, stateLength: UInt32(application.count)),
      Record(savedOrder: 1, firstChild: 3, identifier: long("a-long-long-identifier", at: 0)),
      Record(
        savedOrder: 0, firstChild: 3, childCount: 3, stateOffset: UInt32(application.count), stateLength: UInt32(root.count), type: 2,
        identifier: short("root")),
      Record(parent: 2, savedOrder: 2, firstChild: 6, origin: 1, identifier: long("a-long-long-identifier", at: 0)),
      Record(
        parent: 2, savedOrder: 0, firstChild: 6, stateOffset: UInt32(listStart), stateLength: UInt32(list.count), type: 1, flags: 1,
        identifier: short("list")),
      Record(
        parent: 2, savedOrder: 1, firstChild: 6, stateOffset: UInt32(lastStart), stateLength: UInt32(last.count), flags: 2,
        identifier: long("zz-überaus-langer-name", at: 22)),
    ]
    file.sections = [("abCd", [1, 2, 3])]
    return file
  }()

  /// An archive whose application state is one value under the key "k".
  static func holding(_ value: [UInt8]) -> HandMadeFile {
    var file = HandMadeFile()
    file.keys = [1] + string("k")
    file.states = [1] + value
    file.records[0].stateLength = UInt32(file.states.count)
    return file
  }

  /// An archive with top-level nodes whose `identifier` fields are these.
  static func holding(nodes: [[UInt8]]) -> HandMadeFile {
    var file = HandMadeFile()
    file.records[0].childCount = UInt32(nodes.count)
    for (index, identifier) in nodes.enumerated() {
      file.records.append(Record(savedOrder: UInt32(index), firstChild: UInt32(nodes.count + 1), identifier: identifier))
    }
    return file
  }
}
