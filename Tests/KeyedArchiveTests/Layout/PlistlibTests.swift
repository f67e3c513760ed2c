import Foundation
import KeyedArchive
import KeyedArchiveKit
import ProcessKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// A reader of others, Python's `plistlib`, with a decoder of keyed archives on top, reads what we write.
///
/// Skipped without Python, which nothing else here needs.
@Suite struct PlistlibTests {
  static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/python3")
  }

  /// Prints the named value `root` of each file on a line, with the bits of numbers and the bytes of text.
  private static let program = """
    import plistlib, struct, sys

    def text(value):
        if value is None: return 'null'
        if value is True or value is False: return str(value).lower()
        if isinstance(value, int): return 'integer ' + str(value)
        if isinstance(value, float): return 'real ' + struct.pack('>d', value).hex()
        if isinstance(value, str): return 'text ' + value.encode('utf-8').hex()
        if isinstance(value, bytes): return 'data ' + value.hex()
        if isinstance(value, list): return '[' + ', '.join(value) + ']'
        return '{' + ', '.join(key + ': ' + value[key] for key in sorted(value)) + '}'

    def decoded(uid, objects):
        item = objects[uid.data]
        if uid.data == 0: raise ValueError('nil')
        if not isinstance(item, dict): return text(item)
        def inner(key): return [decoded(element, objects) for element in item[key]]
        name = objects[item['$class'].data]['$classname']
        if name == 'NSNull': return text(None)
        if name == 'NSString': return text(item['NS.string'])
        if name == 'NSDate': return 'date ' + struct.pack('>d', item['NS.time']).hex()
        if name == 'NSUUID': return text({text('uuid'): text(item['NS.uuidbytes'])})
        if name == 'NSURL' and item['NS.base'].data == 0: return text({text('url'): decoded(item['NS.relative'], objects)})
        if name == 'NSArray': return text(inner('NS.objects'))
        if name == 'NSDictionary': return text(dict(zip(inner('NS.keys'), inner('NS.objects'))))
        raise ValueError(name)

    for path in sys.argv[1:]:
        with open(path, 'rb') as file: archive = plistlib.load(file)
        assert archive['$archiver'] == 'NSKeyedArchiver' and archive['$version'] == 100000
        assert archive['$objects'][0] == '$null' and list(archive['$top']) == ['root']
        print(decoded(archive['$top']['root'], archive['$objects']))
    """

  @Test("keyed archives of random trees", .enabled(if: hasPython, "python3 is not installed here: this comparison is known to be absent"))
  func readsArchives() throws {
    let folder = try TemporaryFolder()
    var names: [String] = []
    var expected: [String] = []
    for seed in TestStage.seeds(30, exhaustive: 300) {
      var generator = TreeGenerator(seed: seed)
      let tree = generator.tree()
      let name = folder.url("\(seed).plist").path
      try tree.keyedArchive().write(to: URL(fileURLWithPath: name))
      names.append(name)
      expected.append(Self.text(KeyedForm.expected(of: tree)))
    }
    let result = try TestProcess.run("/usr/bin/env", ["python3", "-c", Self.program] + names)
    #expect(result.status == 0, "\(result.error)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count)
    for (seed, pair) in zip(lines, expected).enumerated() { #expect(pair.0 == pair.1, "seed \(seed)") }
  }

  /// Returns the line of the program for a value.
  static func text(_ value: PlainPropertyList) -> String {
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    func bits(_ bits: UInt64) -> String { hex(RawPropertyList.integer(bits, 8)) }
    switch value {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .integer(let value): return "integer \(value)"
    case .real(let value): return "real \(bits(value))"
    case .date(let value): return "date \(bits(value))"
    case .data(let data): return "data \(hex(data))"
    case .text(let bytes): return "text \(hex(bytes))"
    case .uid(let uid): return "uid \(uid)"
    case .array(let elements), .set(let elements): return "[\(elements.map(text).joined(separator: ", "))]"
    case .dictionary(let entries):
      let lines = entries.map { (key: text($0.key), value: text($0.value)) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      return "{\(lines.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
    }
  }
}
