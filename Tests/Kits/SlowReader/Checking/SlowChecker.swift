/// Runs all checks of Spec 7.2 on a file, in order (R-7.2-1).
///
/// The code can be compared with the Spec line by line, and uses nothing from the library. The stages, A to F, have a
/// file each.
///
/// - Parameter bytes: The whole file.
/// - Returns: Every finding, in the order required by the Spec; none if the file is valid.
public func slowCheck(_ bytes: [UInt8]) -> [SlowFinding] {
  var checker = SlowChecker(bytes)
  checker.check()
  return checker.findings
}

/// The checks of Spec 7.2.
///
/// Each stage adds findings and returns the input of the next ones, or nil if checking stops.
struct SlowChecker {
  let bytes: [UInt8]
  private(set) var findings: [SlowFinding] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Runs all checks; returns the input of a reader, or nil if a finding of A, B or C stopped the checks.
  @discardableResult
  mutating func check() -> SlowStructure? {
    guard let prefix = checkPrefix() else { return nil }
    let layout = SlowLayout(prefix)
    guard let integrity = checkIntegrity(prefix, layout) else { return nil }
    guard let metadata = checkMetadata(prefix, layout, at: integrity.metadataOffset) else { return nil }
    let nodes = checkNodes(metadata, integrity.damage)
    let structure = SlowStructure(prefix: prefix, layout: layout, metadata: metadata, nodes: nodes)
    let usedKeys = checkStates(structure, integrity.damage)
    // F: only if there was no finding so far but those of E10 and of damage that costs no content.
    let serious = findings.filter { !$0.costsNoContent }
    if serious.allSatisfy({ $0.code == SlowValueReader.unknownValueType }) {
      checkWhole(structure, usedKeys: usedKeys, skipsKeys: !serious.isEmpty)
    }
    return structure
  }

  mutating func report(_ code: String, at offset: Int) {
    report(SlowFinding(code, at: offset))
  }

  mutating func report(_ finding: SlowFinding) {
    findings.append(finding)
  }
}

extension SlowChecker {
  /// Spec 7.2 C: the metadata, one unit; any finding stops.
  mutating func checkMetadata(_ prefix: SlowPrefix, _ layout: SlowLayout, at offset: Int) -> SlowMetadata? {
    var reader = SlowMetadataReader(bytes, at: offset, layout, minorVersion: prefix.minorVersion)
    do {
      return try reader.read()
    } catch {
      report(error)
      return nil
    }
  }
}
