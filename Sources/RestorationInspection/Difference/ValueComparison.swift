import ArchiveFormat
import RestorationArchive

/// Compares values of two archives at any depth and collects the changes.
///
/// Dictionaries are compared by key. Arrays are aligned first, so that an inserted element does not make all elements
/// after it differ. Sensitive values are compared, but their changes carry no value unless they are to be revealed.
struct ValueComparison {
  private let part: ValueChange.Part
  private let sensitive: SensitiveValues
  private var changes: [ValueChange] = []
  private var place: [ValueChange.Step] = []

  static func changes(
    in part: ValueChange.Part, _ old: ArchiveDictionary, _ new: ArchiveDictionary, _ sensitive: SensitiveValues
  ) -> [ValueChange] {
    var comparison = ValueComparison(part: part, sensitive: sensitive)
    comparison.compare(old, new)
    return comparison.changes
  }

  private mutating func compare(_ old: ArchiveDictionary, _ new: ArchiveDictionary) {
    for pair in MergedPairs(old, new, by: { $0.key.compareText(with: $1.key) }) { compare(pair.old, pair.new) }
  }

  private mutating func compare(_ old: ArchiveDictionary.Entry?, _ new: ArchiveDictionary.Entry?) {
    guard let entry = new ?? old else { return }
    place.append(.key(entry.key))
    defer { place.removeLast() }
    let isSensitive = old?.isSensitive == true || new?.isSensitive == true
    guard let old, let new else { return note(old?.value, new?.value, isSensitive: isSensitive) }
    if old.isSensitive != new.isSensitive {
      changes.append(
        ValueChange(part: part, place: place, kind: new.isSensitive ? .marked : .unmarked, old: nil, new: nil, isSensitive: true))
    }
    if sensitive.hides(isSensitive) {
      if old.value != new.value { note(old.value, new.value, isSensitive: true) }
    } else {
      compare(old.value, new.value)
    }
  }

  /// Compares two values; the format's limit of 128 nesting levels bounds the recursion.
  private mutating func compare(_ old: ArchiveValue, _ new: ArchiveValue) {
    switch (old, new) {
    case (.dictionary(let old), .dictionary(let new)): compare(old, new)
    case (.array(let old), .array(let new)): compare(old, new)
    default: if old != new { note(old, new, isSensitive: false) }
    }
  }

  private mutating func compare(_ old: [ArchiveValue], _ new: [ArchiveValue]) {
    for (before, after) in SequenceAlignment(old, new, by: ==).replaced {
      // Elements that replace others are compared with them in turn; the rest was removed or added.
      for offset in 0..<max(before.count, after.count) {
        let (left, right) = (before.lowerBound + offset, after.lowerBound + offset)
        place.append(.index(offset < after.count ? right : left))
        switch (offset < before.count, offset < after.count) {
        case (true, true): compare(old[left], new[right])
        case (true, false): note(old[left], nil, isSensitive: false)
        default: note(nil, new[right], isSensitive: false)
        }
        place.removeLast()
      }
    }
  }

  private mutating func note(_ old: ArchiveValue?, _ new: ArchiveValue?, isSensitive: Bool) {
    let kind: ValueChange.Kind = old == nil ? .added : new == nil ? .removed : .changed
    let isHidden = sensitive.hides(isSensitive)
    changes.append(
      ValueChange(
        part: part, place: place, kind: kind, old: isHidden ? nil : shown(old), new: isHidden ? nil : shown(new), isSensitive: isSensitive
      ))
  }

  /// Returns a value without the sensitive values in it, unless they are to be revealed.
  private func shown(_ value: ArchiveValue?) -> ArchiveValue? { sensitive == .reveal ? value : value?.redacted }
}
