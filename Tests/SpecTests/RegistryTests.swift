import ArchiveFormat
import KeyedArchive
import RestorationArchive
import Testing

/// The tables of `Spec/registry.md` and `Spec/imports.md` match the code.
@Suite struct RegistryTests {
  private func rows(_ heading: String) throws -> [[String]] {
    let documents = ["Spec/registry.md", "Spec/imports.md"]
    let rows = try documents.flatMap { try SpecFiles.rows(of: $0, under: heading) }
    try #require(!rows.isEmpty, "no table under \(heading)")
    return rows
  }

  @Test("error codes, their kinds and main rules match the registry")
  func listsErrorCodes() throws {
    let listed = try rows("Error codes").map { [$0[0], $0[1], $0[3].split(separator: ",").first.map(String.init) ?? ""] }
    #expect(listed == FormatErrorCode.allCases.map { [$0.rawValue, $0.kind.rawValue, "\($0.rule)"] })
    #expect(
      Set(ArchiveError.Kind.allCases.map(\.rawValue))
        == Set(try SpecFiles.rows(of: "Spec/format.md", under: "12. Error catalogue").map { $0[0] }))
  }

  @Test("value tags match the registry")
  func listsTags() throws {
    var listed: [UInt8: String] = [:]
    for row in try rows("Value tags") {
      let ends = row[0].split(separator: "–").compactMap { UInt8($0, radix: 16) }
      for tag in (ends.first ?? 0)...(ends.last ?? 0) { listed[tag] = row[2].split { $0 == " " || $0 == "," }.first.map(String.init) }
    }
    for tag in UInt8.min...UInt8.max {
      let known = ValueKind(tag: tag)
      switch listed[tag] {
      case "mark": #expect(tag == ValueTag.sensitive && known == nil)
      case "later": #expect(known == .unknown)
      case let name: #expect(known?.name == name, "tag \(tag)")
      }
    }
  }

  @Test("sections match the registry")
  func listsSections() throws {
    #expect(try rows("Sections").map { $0[0] } == (SectionCode.required + [.link]).map(\.text))
  }

  @Test("flags match the registry")
  func listsFlags() throws {
    let listed = try rows("Flags").map { "\($0[2]) \($0[1])" }
    #expect(
      listed == [
        "hasProvider \(NodeRecord.hasProvider.trailingZeroBitCount)", "hasAttributes \(NodeRecord.hasAttributes.trailingZeroBitCount)",
        "hasBundleVersion \(OriginRecord.hasBundleVersion.trailingZeroBitCount)",
        "hasTimestamp \(OriginRecord.hasTimestamp.trailingZeroBitCount)", "hasPlace \(LinkTable.hasPlace.trailingZeroBitCount)",
      ])
    #expect(NodeRecord.knownFlags == NodeRecord.hasProvider | NodeRecord.hasAttributes)
  }

  @Test("header keys, their types, and which are volatile match the registry")
  func listsHeaderKeys() throws {
    let listed = try rows("Header keys").map { [$0[0], $0[1], $0[2]] }
    #expect(listed == RegisteredHeaderKey.allCases.map { [$0.rawValue, $0.kind.name, $0.isVolatile ? "yes" : "no"] })
  }

  @Test("user-interface idioms match the registry")
  func listsIdioms() throws {
    let known: [UserInterfaceIdiom] = [.phone, .pad, .tv, .carPlay, .mac, .vision, .watch, .desktop, .terminal, .unspecified]
    #expect(try rows("User-interface idioms").map { $0[0] } == known.map(\.rawValue))
  }

  @Test("damaged forms of the magic match the registry")
  func listsMagicDamage() throws {
    let listed = try rows("Damaged forms of the magic").map { $0[0].split(separator: " ").compactMap { UInt8($0, radix: 16) } }
    #expect(listed == MagicDamage.forms)
  }

  @Test("UIKit's keys, their archives and targets match the registry")
  func listsUIKitKeys() throws {
    let listed = try rows("8. UIKit's keys").map { Array($0[0...2]) }
    #expect(listed == UIKitKey.allCases.map { [$0.rawValue, $0.place.rawValue, $0.target] })
    for row in try rows("Header keys") where !row[4].isEmpty {
      #expect(UIKitKey(rawValue: row[4])?.target == row[0])
    }
    for row in try rows("User-interface idioms") {
      if let number = Int128(row[1]) { #expect(UIKitKey.idioms[number] == row[0]) }
    }
  }

  @Test("error codes of imports and their kinds match the registry")
  func listsImportErrors() throws {
    let listed = try rows("9. Error codes of imports").map { [$0[0], $0[1]] }
    let codes: [KeyedArchiveError.Code] = [
      .notPropertyList, .tooShort, .integerWidth, .objectCount, .topObject, .offsetTable, .objectOffset, .objectMarker, .objectLength,
      .objectReference, .illFormedText, .dateNotANumber, .uidRange, .keyType, .repeatedKey, .containerCycle, .xmlSyntax, .xmlEntity,
      .xmlEncoding, .xmlValue, .listSyntax, .notKeyedArchive, .archiveVersion, .objectIndex, .objectFields, .stateRecord, .windowList,
      .archiveLayout, .notExpressible, .depthLimit, .countLimit, .workLimit,
    ]
    #expect(listed == codes.map { [$0.rawValue, KeyedArchiveError($0, at: nil, "").kind.rawValue] })
  }
}
