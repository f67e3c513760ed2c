/// The kind of a fault, as a stable code (Spec §12).
///
/// The raw value is the code's text in files, tests and JSON.
///
/// The table in `Spec/registry.md` lists the same codes with the same kinds and rules; a test compares the two.
@usableFromInline
package enum FormatErrorCode: String, Sendable, CaseIterable {
  /// An empty file.
  case emptyFile = "empty-file"
  /// A file of fewer than 8 bytes.
  case tooShort = "too-short"
  /// A file that does not begin with the magic.
  case badMagic = "bad-magic"
  /// A magic altered by a transfer in text mode.
  case textModeDamage = "text-mode-damage"
  /// A file shorter than its prefix states.
  case truncated = "truncated"
  /// A file longer than its prefix states.
  case trailingBytes = "trailing-bytes"
  /// A prefix copy that does not match its digest.
  case prefixDamaged = "prefix-damaged"
  /// Two intact prefix copies that differ.
  case prefixCopiesDiffer = "prefix-copies-differ"
  /// An unsupported major version.
  case unsupportedVersion = "unsupported-version"
  /// An unknown incompatible feature.
  case unsupportedFeature = "unsupported-feature"
  /// A file longer than the format allows.
  case fileTooLarge = "file-too-large"
  /// A metadata length that is less than that of the volatile header, or does not fit into the file.
  case metadataLength = "metadata-length"
  /// A tree length that does not match the body.
  case treeLength = "tree-length"
  /// A copy of the metadata that does not match its digests.
  case metadataDamaged = "metadata-damaged"
  /// A copy of a tree node that does not match its checksum.
  case treeDamaged = "tree-damaged"
  /// A tree node of which both copies are damaged.
  case blocksUnverifiable = "blocks-unverifiable"
  /// A block that does not match its checksum.
  case blockDamaged = "block-damaged"
  /// An unused leaf that is not 0.
  case treePadding = "tree-padding"
  /// A field that does not fit into its container.
  case unexpectedEnd = "unexpected-end"
  /// A length that exceeds the remaining bytes.
  case lengthPastEnd = "length-past-end"
  /// A varint greater than 2^32-1.
  case varintTooLarge = "varint-too-large"
  /// A varint with an unnecessary last byte.
  case varintNotMinimal = "varint-not-minimal"
  /// Text that is not well-formed UTF-8.
  case invalidUTF8 = "invalid-utf8"
  /// A string shorter or longer than its field allows.
  case stringLength = "string-length"
  /// A section code that is not four letters, or whose third letter is not a capital.
  case sectionCode = "section-code"
  /// A section that is missing, repeated or out of order.
  case sectionOrder = "section-order"
  /// Section lengths that do not add up to the body.
  case sectionLengths = "section-lengths"
  /// A node table length that is 0 or not a multiple of 48.
  case nodeTableLength = "node-table-length"
  /// An unknown critical section.
  case unknownCriticalSection = "unknown-critical-section"
  /// Header keys that are out of order or repeated.
  case headerOrder = "header-order"
  /// A volatile key in the header, or a non-volatile key in the volatile header.
  case headerGroup = "header-group"
  /// A byte other than 0 after the entries of the volatile header.
  case headerPadding = "header-padding"
  /// A header value of the wrong type.
  case headerType = "header-type"
  /// A header key that is not registered and has no full stop.
  case unknownHeaderKey = "unknown-header-key"
  /// An unknown origin flag.
  case originFlags = "origin-flags"
  /// Origins that are out of order or repeated.
  case originOrder = "origin-order"
  /// Types that are out of order or repeated.
  case typeOrder = "type-order"
  /// Keys of the key table that are out of order or repeated.
  case keyTableOrder = "key-table-order"
  /// A table with more entries than allowed.
  case tableSize = "table-size"
  /// Bytes after the keys.
  case metadataTrailingBytes = "metadata-trailing-bytes"
  /// A root record with a field that only other nodes may have.
  case rootRecord = "root-record"
  /// A range of children that is out of place.
  case childRange = "child-range"
  /// A record that is not among the children of its parent.
  case parentMismatch = "parent-mismatch"
  /// A path with more than 256 components.
  case pathDepth = "path-depth"
  /// Saved orders that are not a permutation.
  case savedOrder = "saved-order"
  /// A type number beyond the table.
  case typeIndex = "type-index"
  /// An origin number beyond the table.
  case originIndex = "origin-index"
  /// An unknown node flag.
  case nodeFlags = "node-flags"
  /// A state record beyond its section.
  case stateRange = "state-range"
  /// An identifier in neither the required short form nor the required long form.
  case identifierForm = "identifier-form"
  /// A long identifier beyond its section.
  case identifierRange = "identifier-range"
  /// Two siblings with the same identifier.
  case duplicateIdentifier = "duplicate-identifier"
  /// Siblings that are out of order.
  case siblingOrder = "sibling-order"
  /// Attributes that are flagged but empty.
  case emptyAttributes = "empty-attributes"
  /// A key index beyond the key table.
  case keyIndex = "key-index"
  /// An inline key that belongs in the key table.
  case keyInline = "key-inline"
  /// An empty key in a state record or attributes.
  case emptyKey = "empty-key"
  /// An attribute key that is not registered and has no full stop.
  case unknownAttribute = "unknown-attribute"
  /// A repeated key.
  case duplicateKey = "duplicate-key"
  /// Keys that are out of order.
  case keyOrder = "key-order"
  /// A mark of a sensitive value where it is not allowed.
  case sensitiveMisplaced = "sensitive-misplaced"
  /// An unassigned tag.
  case invalidTag = "invalid-tag"
  /// A value type of a later version.
  case unknownValueType = "unknown-value-type"
  /// An integer in more bytes than needed.
  case integerNotMinimal = "integer-not-minimal"
  /// An integer below -2^63.
  case integerRange = "integer-range"
  /// A float64 in more bytes than needed.
  case floatNotMinimal = "float-not-minimal"
  /// A short string in the long form.
  case stringNotMinimal = "string-not-minimal"
  /// A reference without components.
  case emptyReference = "empty-reference"
  /// More than 128 levels of nesting.
  case nestingDepth = "nesting-depth"
  /// Long identifiers that are not in order of first use.
  case stringOrder = "string-order"
  /// A long identifier that is stored twice.
  case duplicateString = "duplicate-string"
  /// Bytes that nothing refers to.
  case unusedBytes = "unused-bytes"
  /// State records that are not in preorder.
  case stateOrder = "state-order"
  /// An origin that no node uses.
  case unusedOrigin = "unused-origin"
  /// A type that no node uses.
  case unusedType = "unused-type"
  /// A key that no entry uses.
  case unusedKey = "unused-key"
  /// A link whose header does not name the file before it, or an archive that is not a link and names one.
  case linkHeader = "link-header"
  /// A change of a link's node that the format does not have.
  case linkEntry = "link-entry"
  /// A record of a link that is unchanged or removed, but has contents.
  case linkRecord = "link-record"
  /// A place in a link that is taken, or refers to a node that is not there.
  case linkPlace = "link-place"
  /// Places in a link that form a circle.
  case linkCycle = "link-cycle"
  /// More values at once than the reader's limit.
  case valueBudget = "value-budget"
  /// More than a limit set for this reader.
  case readerLimit = "reader-limit"
  /// No value under this key.
  case absentKey = "absent-key"
  /// No node at this path.
  case absentNode = "absent-node"
  /// A value of a type other than the requested one.
  case wrongType = "wrong-type"
  /// An integer that does not fit the requested type.
  case numberOutOfRange = "number-out-of-range"
  /// Keys that differ in bytes but are equal in the requested collection.
  case keysCollide = "keys-collide"
  /// A value that the format cannot store.
  case notStorable = "not-storable"
  /// A link by itself where an archive was expected.
  case unresolvedLink = "unresolved-link"
  /// A link that does not belong after the file before it.
  case wrongBase = "wrong-base"
  /// A node of a link that the archive before does not have.
  case missingNode = "missing-node"
  /// No file with the content digest that a link names.
  case missingLink = "missing-link"
  /// More links than a chain may have.
  case chainLength = "chain-length"
  /// Text that is not a path.
  case pathSyntax = "path-syntax"
  /// A node added before its parent.
  case noParent = "no-parent"
  /// Text that is not JSON.
  case jsonSyntax = "json-syntax"
  /// A JSON object with a repeated key.
  case jsonDuplicateKey = "json-duplicate-key"
  /// A lone surrogate.
  case jsonSurrogate = "json-surrogate"
  /// JSON nested too deeply.
  case jsonDepth = "json-depth"
  /// A member that is unknown, missing or of the wrong type.
  case jsonMember = "json-member"
  /// An unsupported version of the JSON form.
  case jsonVersion = "json-version"
  /// A number out of range.
  case jsonNumber = "json-number"
  /// An unknown tagged object.
  case jsonTag = "json-tag"
  /// A read or write that the system refused.
  case inputOutput = "input-output"

  /// The broken rule, unless the thrower names a more specific one.
  package var rule: StaticString {
    switch self {
    case .emptyFile, .tooShort, .badMagic, .textModeDamage: "R-4.2-1"
    case .truncated, .trailingBytes: "R-4.1-2"
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
    case .blockDamaged, .treePadding: "R-4.4-2"
    case .unexpectedEnd, .lengthPastEnd: "R-5.3-1"
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
    case .originOrder, .tableSize, .unusedOrigin: "R-4.3-11"
    case .typeOrder, .unusedType: "R-4.3-12"
    case .keyTableOrder, .unusedKey: "R-4.3-13"
    case .metadataTrailingBytes: "R-4.3-2"
    case .rootRecord: "R-6.4-1"
    case .childRange: "R-6.4-2"
    case .parentMismatch: "R-6.4-4"
    case .pathDepth: "R-6.4-10"
    case .savedOrder: "R-6.4-5"
    case .typeIndex, .originIndex: "R-6.4-6"
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
    case .duplicateKey, .keyOrder: "R-6.2-3"
    case .sensitiveMisplaced: "R-6.1-8"
    case .invalidTag, .unknownValueType: "R-6.1-1"
    case .integerNotMinimal: "R-6.1-2"
    case .integerRange: "R-6.1-3"
    case .floatNotMinimal: "R-6.1-4"
    case .stringNotMinimal: "R-6.1-5"
    case .emptyReference: "R-6.1-7"
    case .nestingDepth: "R-6.1-9"
    case .stringOrder, .duplicateString: "R-6.5-3"
    case .unusedBytes, .stateOrder: "R-6.3-2"
    case .linkHeader: "R-15.1-1"
    case .linkEntry: "R-15.2-1"
    case .linkRecord: "R-15.2-2"
    case .linkPlace: "R-15.2-4"
    case .linkCycle: "R-15.2-5"
    case .valueBudget, .readerLimit: "R-10-1"
    case .absentKey, .absentNode, .wrongType, .numberOutOfRange, .inputOutput: "R-12-1"
    case .keysCollide: "R-1.3-1"
    case .notStorable, .noParent: "R-8-3"
    case .unresolvedLink: "R-15.1-3"
    case .wrongBase, .missingLink: "R-15.3-1"
    case .missingNode: "R-15.3-2"
    case .chainLength: "R-15.4-1"
    case .pathSyntax: "R-3.1-4"
    case .jsonSyntax: "R-J1-1"
    case .jsonDuplicateKey: "R-J1-2"
    case .jsonSurrogate: "R-J1-3"
    case .jsonDepth: "R-J1-4"
    case .jsonMember: "R-J2-1"
    case .jsonVersion: "R-J2-2"
    case .jsonNumber: "R-J6-1"
    case .jsonTag: "R-J6-3"
    }
  }
}
