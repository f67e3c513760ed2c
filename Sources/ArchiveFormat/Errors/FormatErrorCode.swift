/// What went wrong, as a stable code (Spec §12).
///
/// The raw value is the text that files, tests and JSON use.
///
/// The table in `Spec/registry.md` lists the same codes with the same kinds and rules; a test compares the two.
@usableFromInline
package enum FormatErrorCode: String, Sendable, CaseIterable {
  /// The file has no byte.
  case emptyFile = "empty-file"
  /// The file has fewer than 8 bytes.
  case tooShort = "too-short"
  /// The file does not begin with the magic.
  case badMagic = "bad-magic"
  /// The magic was altered by a transfer that took the file for text.
  case textModeDamage = "text-mode-damage"
  /// The file is shorter than its prefix says.
  case truncated = "truncated"
  /// The file is longer than its prefix says.
  case trailingBytes = "trailing-bytes"
  /// A prefix copy does not match its digest.
  case prefixDamaged = "prefix-damaged"
  /// Both prefix copies are intact, but not the same.
  case prefixCopiesDiffer = "prefix-copies-differ"
  /// Another major version.
  case unsupportedVersion = "unsupported-version"
  /// An unknown incompatible feature.
  case unsupportedFeature = "unsupported-feature"
  /// Longer than the format allows.
  case fileTooLarge = "file-too-large"
  /// The metadata is shorter than its volatile header, or does not fit into the file.
  case metadataLength = "metadata-length"
  /// Not the tree length that belongs to the body.
  case treeLength = "tree-length"
  /// A copy of the metadata does not match its digests.
  case metadataDamaged = "metadata-damaged"
  /// A copy of a tree node does not match its checksum.
  case treeDamaged = "tree-damaged"
  /// Both copies of a tree node are damaged.
  case blocksUnverifiable = "blocks-unverifiable"
  /// A block does not match its checksum.
  case blockDamaged = "block-damaged"
  /// The unused leaf is not 0.
  case treePadding = "tree-padding"
  /// Something does not fit into what contains it.
  case unexpectedEnd = "unexpected-end"
  /// A length exceeds what is left.
  case lengthPastEnd = "length-past-end"
  /// More than 2^32-1.
  case varintTooLarge = "varint-too-large"
  /// A needless last byte.
  case varintNotMinimal = "varint-not-minimal"
  /// Not well-formed UTF-8.
  case invalidUTF8 = "invalid-utf8"
  /// A string shorter or longer than its field allows.
  case stringLength = "string-length"
  /// Not four letters, or the third not a capital.
  case sectionCode = "section-code"
  /// Sections missing, repeated or out of order.
  case sectionOrder = "section-order"
  /// The sections do not add up to the body.
  case sectionLengths = "section-lengths"
  /// Not a multiple of 48, or 0.
  case nodeTableLength = "node-table-length"
  /// A critical section that is not known.
  case unknownCriticalSection = "unknown-critical-section"
  /// Header keys out of order or repeated.
  case headerOrder = "header-order"
  /// A volatile key in the header, or another in the volatile header.
  case headerGroup = "header-group"
  /// Other bytes than zeros behind the entries of the volatile header.
  case headerPadding = "header-padding"
  /// A header value of the wrong type.
  case headerType = "header-type"
  /// Neither registered nor with a full stop.
  case unknownHeaderKey = "unknown-header-key"
  /// An unknown bit.
  case originFlags = "origin-flags"
  /// Origins out of order or repeated.
  case originOrder = "origin-order"
  /// Types out of order or repeated.
  case typeOrder = "type-order"
  /// Keys out of order or repeated.
  case keyTableOrder = "key-table-order"
  /// More entries than the table may have.
  case tableSize = "table-size"
  /// Something behind the keys.
  case metadataTrailingBytes = "metadata-trailing-bytes"
  /// Record 0 has what only nodes have.
  case rootRecord = "root-record"
  /// Children not where they must be.
  case childRange = "child-range"
  /// Not among the children of its parent.
  case parentMismatch = "parent-mismatch"
  /// More than 256 components.
  case pathDepth = "path-depth"
  /// Not a permutation.
  case savedOrder = "saved-order"
  /// Beyond the table.
  case typeIndex = "type-index"
  /// Beyond the table.
  case originIndex = "origin-index"
  /// An unknown bit.
  case nodeFlags = "node-flags"
  /// Beyond the section.
  case stateRange = "state-range"
  /// Neither short nor long form as the rule says.
  case identifierForm = "identifier-form"
  /// Beyond the section.
  case identifierRange = "identifier-range"
  /// Two siblings with one identifier.
  case duplicateIdentifier = "duplicate-identifier"
  /// Siblings out of order.
  case siblingOrder = "sibling-order"
  /// Flagged, but none.
  case emptyAttributes = "empty-attributes"
  /// Beyond the key table.
  case keyIndex = "key-index"
  /// Inline, but it belongs into the key table.
  case keyInline = "key-inline"
  /// An empty key in a state record or attributes.
  case emptyKey = "empty-key"
  /// Neither registered nor with a full stop.
  case unknownAttribute = "unknown-attribute"
  /// A key twice.
  case duplicateKey = "duplicate-key"
  /// Keys out of order.
  case keyOrder = "key-order"
  /// The mark where it must not stand.
  case sensitiveMisplaced = "sensitive-misplaced"
  /// A tag that is not assigned.
  case invalidTag = "invalid-tag"
  /// A value type of a later version.
  case unknownValueType = "unknown-value-type"
  /// More bytes than needed.
  case integerNotMinimal = "integer-not-minimal"
  /// Below -2^63.
  case integerRange = "integer-range"
  /// More bytes than needed.
  case floatNotMinimal = "float-not-minimal"
  /// A short string in the long form.
  case stringNotMinimal = "string-not-minimal"
  /// A reference without components.
  case emptyReference = "empty-reference"
  /// More than 128 levels.
  case nestingDepth = "nesting-depth"
  /// Long identifiers not in order of first use.
  case stringOrder = "string-order"
  /// A long identifier stored twice.
  case duplicateString = "duplicate-string"
  /// Bytes that nothing refers to.
  case unusedBytes = "unused-bytes"
  /// State records not in preorder.
  case stateOrder = "state-order"
  /// An origin of no node.
  case unusedOrigin = "unused-origin"
  /// A type of no node.
  case unusedType = "unused-type"
  /// A key of no entry.
  case unusedKey = "unused-key"
  /// More values at once than this reader was told to make.
  case valueBudget = "value-budget"
  /// More than this reader was told to take.
  case readerLimit = "reader-limit"
  /// No value under this key.
  case absentKey = "absent-key"
  /// No node at this path.
  case absentNode = "absent-node"
  /// A value of another type than asked for.
  case wrongType = "wrong-type"
  /// An integer that does not fit the type asked for.
  case numberOutOfRange = "number-out-of-range"
  /// Keys that differ in bytes are one key in the collection asked for.
  case keysCollide = "keys-collide"
  /// A value that the format cannot store.
  case notStorable = "not-storable"
  /// Not the text form of a path.
  case pathSyntax = "path-syntax"
  /// A node was given before its parent.
  case noParent = "no-parent"
  /// Not JSON.
  case jsonSyntax = "json-syntax"
  /// An object has a key twice.
  case jsonDuplicateKey = "json-duplicate-key"
  /// A lone surrogate.
  case jsonSurrogate = "json-surrogate"
  /// Nested too deep.
  case jsonDepth = "json-depth"
  /// A member unknown, missing or of the wrong type.
  case jsonMember = "json-member"
  /// Another version of the JSON form.
  case jsonVersion = "json-version"
  /// A number out of range.
  case jsonNumber = "json-number"
  /// Not a tagged object that is known.
  case jsonTag = "json-tag"
  /// The system refused to read or write.
  case inputOutput = "input-output"

  /// Which sort of fault it is.
  package var kind: FormatErrorKind {
    switch self {
    case .emptyFile, .tooShort, .badMagic, .trailingBytes, .metadataLength, .treeLength, .unexpectedEnd, .lengthPastEnd,
      .varintTooLarge, .invalidUTF8, .sectionCode, .sectionLengths, .nodeTableLength, .metadataTrailingBytes, .stateRange,
      .identifierRange, .keyIndex, .invalidTag, .jsonSyntax, .jsonDuplicateKey, .jsonSurrogate:
      .malformed
    case .textModeDamage, .truncated, .prefixDamaged, .metadataDamaged, .treeDamaged, .blocksUnverifiable, .blockDamaged:
      .damaged
    case .prefixCopiesDiffer, .treePadding, .varintNotMinimal, .stringLength, .sectionOrder, .headerOrder, .headerGroup, .headerPadding,
      .headerType, .unknownHeaderKey, .originFlags, .originOrder, .typeOrder, .keyTableOrder, .rootRecord, .childRange, .parentMismatch,
      .savedOrder, .typeIndex, .originIndex, .nodeFlags, .identifierForm, .duplicateIdentifier, .siblingOrder, .emptyAttributes, .keyInline,
      .emptyKey, .unknownAttribute, .duplicateKey, .keyOrder, .sensitiveMisplaced, .integerNotMinimal, .integerRange, .floatNotMinimal,
      .stringNotMinimal, .emptyReference, .stringOrder, .duplicateString, .unusedBytes, .stateOrder, .unusedOrigin, .unusedType,
      .unusedKey, .jsonMember, .jsonNumber, .jsonTag:
      .invalid
    case .fileTooLarge, .tableSize, .pathDepth, .nestingDepth, .valueBudget, .readerLimit, .jsonDepth:
      .limit
    case .unsupportedVersion, .unsupportedFeature, .unknownCriticalSection, .unknownValueType, .jsonVersion:
      .unsupported
    case .absentKey, .absentNode, .wrongType, .numberOutOfRange, .keysCollide, .notStorable, .pathSyntax, .noParent:
      .mismatch
    case .inputOutput:
      .inputOutput
    }
  }

  /// The rule that is broken, where the place of the error names no other one.
  package var rule: StaticString {
    switch self {
    case .emptyFile: "R-4.2-1"
    case .tooShort: "R-4.2-1"
    case .badMagic: "R-4.2-1"
    case .textModeDamage: "R-4.2-1"
    case .truncated: "R-4.1-2"
    case .trailingBytes: "R-4.1-2"
    case .prefixDamaged: "R-4.2-2"
    case .prefixCopiesDiffer: "R-4.1-1"
    case .unsupportedVersion: "R-4.2-3"
    case .unsupportedFeature: "R-4.2-4"
    case .fileTooLarge: "R-4.2-5"
    case .metadataLength: "R-4.2-6"
    case .treeLength: "R-4.2-7"
    case .metadataDamaged: "R-4.3-1"
    case .treeDamaged: "R-4.4-1"
    case .blocksUnverifiable: "R-4.4-3"
    case .blockDamaged: "R-4.4-2"
    case .treePadding: "R-4.4-2"
    case .unexpectedEnd: "R-5.3-1"
    case .lengthPastEnd: "R-5.3-1"
    case .varintTooLarge: "R-5.1-2"
    case .varintNotMinimal: "R-5.1-1"
    case .invalidUTF8: "R-5.2-1"
    case .stringLength: "R-5.2-2"
    case .sectionCode: "R-4.3-3"
    case .sectionOrder: "R-4.3-4"
    case .sectionLengths: "R-4.3-5"
    case .nodeTableLength: "R-4.3-6"
    case .unknownCriticalSection: "R-4.3-7"
    case .headerOrder: "R-4.3-8"
    case .headerGroup: "R-4.3-9"
    case .headerPadding: "R-4.3-15"
    case .headerType: "R-3.3-2"
    case .unknownHeaderKey: "R-3.3-1"
    case .originFlags: "R-4.3-10"
    case .originOrder: "R-4.3-11"
    case .typeOrder: "R-4.3-12"
    case .keyTableOrder: "R-4.3-13"
    case .tableSize: "R-4.3-11"
    case .metadataTrailingBytes: "R-4.3-2"
    case .rootRecord: "R-6.4-1"
    case .childRange: "R-6.4-2"
    case .parentMismatch: "R-6.4-4"
    case .pathDepth: "R-6.4-10"
    case .savedOrder: "R-6.4-5"
    case .typeIndex: "R-6.4-6"
    case .originIndex: "R-6.4-6"
    case .nodeFlags: "R-6.4-7"
    case .stateRange: "R-6.4-8"
    case .identifierForm: "R-6.5-1"
    case .identifierRange: "R-6.5-2"
    case .duplicateIdentifier: "R-3.1-3"
    case .siblingOrder: "R-6.4-9"
    case .emptyAttributes: "R-6.3-1"
    case .keyIndex: "R-6.2-1"
    case .keyInline: "R-6.2-2"
    case .emptyKey: "R-6.2-4"
    case .unknownAttribute: "R-3.3-3"
    case .duplicateKey: "R-6.2-3"
    case .keyOrder: "R-6.2-3"
    case .sensitiveMisplaced: "R-6.1-8"
    case .invalidTag: "R-6.1-1"
    case .unknownValueType: "R-6.1-1"
    case .integerNotMinimal: "R-6.1-2"
    case .integerRange: "R-6.1-3"
    case .floatNotMinimal: "R-6.1-4"
    case .stringNotMinimal: "R-6.1-5"
    case .emptyReference: "R-6.1-7"
    case .nestingDepth: "R-6.1-9"
    case .stringOrder: "R-6.5-3"
    case .duplicateString: "R-6.5-3"
    case .unusedBytes: "R-6.3-2"
    case .stateOrder: "R-6.3-2"
    case .unusedOrigin: "R-4.3-11"
    case .unusedType: "R-4.3-12"
    case .unusedKey: "R-4.3-13"
    case .valueBudget, .readerLimit: "R-10-1"
    case .absentKey: "R-12-1"
    case .absentNode: "R-12-1"
    case .wrongType: "R-12-1"
    case .numberOutOfRange: "R-12-1"
    case .keysCollide: "R-1.3-1"
    case .notStorable: "R-8-3"
    case .pathSyntax: "R-3.1-4"
    case .noParent: "R-8-3"
    case .jsonSyntax: "R-J1-1"
    case .jsonDuplicateKey: "R-J1-2"
    case .jsonSurrogate: "R-J1-3"
    case .jsonDepth: "R-J1-4"
    case .jsonMember: "R-J2-1"
    case .jsonVersion: "R-J2-2"
    case .jsonNumber: "R-J6-1"
    case .jsonTag: "R-J6-3"
    case .inputOutput: "R-12-1"
    }
  }
}
