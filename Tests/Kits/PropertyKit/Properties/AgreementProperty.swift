import SlowReader
import RestorationArchive

/// The real checker and the slow one report the same findings (R-7.2-1).
enum AgreementProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    let real = ArchiveCheck(bytes).findings.map { SlowFinding(code: $0.code.rawValue, offset: $0.offset ?? -1) }
    let slow = slowCheck(bytes)
    try PropertyViolation.require(real == slow, "the real checker finds \(real), the slow one \(slow)")
  }
}
