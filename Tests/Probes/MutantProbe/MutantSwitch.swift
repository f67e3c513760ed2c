#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Says at each site which variant of it is wanted: 0 for the original.
///
/// The generated copies of the slow reader call the functions below at every comparison, constant and condition. There is one thread.
enum MutantSwitch {
  /// While tracing, the variant of every site that was not reached yet.
  private static let isUnseen: UInt8 = 0xff

  /// Sets the number of sites.
  static func prepare(count: Int) {
    let table = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 1)
    unsafe table.initialize(repeating: 0, count: count + 1)
    unsafe variants = table
  }

  /// Chooses the variant of one site.
  static func choose(_ variant: UInt8, at site: Int) {
    unsafe variants.unsafelyUnwrapped[site] = variant
  }

  /// Runs a function with all sites as in the original.
  ///
  /// - Returns: The sites that were reached.
  static func trace(count: Int, _ body: () -> Void) -> [Int] {
    let table = unsafe variants.unsafelyUnwrapped
    unsafe table.update(repeating: isUnseen, count: count + 1)
    body()
    let reached = (1..<count + 1).filter { unsafe table[$0] == 0 }
    unsafe table.update(repeating: 0, count: count + 1)
    return reached
  }

  /// The variant of a site that is not plainly the original.
  @inline(never)
  static func decide(_ variant: UInt8, at site: Int) -> UInt8 {
    guard variant == isUnseen else { return variant }
    choose(0, at: site)
    return 0
  }

  // A stored nil needs no initialization at run time, so that each use is one load.
  nonisolated(unsafe) static var variants: UnsafeMutablePointer<UInt8>?
}

@inline(__always)
func variant(at site: Int) -> UInt8 {
  let variant = unsafe MutantSwitch.variants.unsafelyUnwrapped[site]
  return variant == 0 ? 0 : MutantSwitch.decide(variant, at: site)
}

@inline(__always)
func literal<T: FixedWidthInteger>(_ value: T, at site: Int) -> T {
  switch variant(at: site) {
  case 1: value &+ 1
  case 2: value &- 1
  default: value
  }
}

@inline(__always)
func flag(_ value: Bool, at site: Int) -> Bool { value != (variant(at: site) == 1) }

@inline(__always)
func not(_ value: Bool, at site: Int) -> Bool { value == (variant(at: site) == 1) }

/// In front of the clauses of a condition.
@inline(__always)
func keeps(_ site: Int) -> Bool { variant(at: site) != 1 }

@inline(__always)
func sum<T: FixedWidthInteger>(_ first: T, _ second: T, at site: Int) -> T { variant(at: site) == 1 ? first &- second : first + second }

@inline(__always)
func difference<T: FixedWidthInteger>(_ first: T, _ second: T, at site: Int) -> T {
  variant(at: site) == 1 ? first &+ second : first - second
}

@inline(__always)
func less<T: Comparable>(_ first: T, _ second: T, at site: Int) -> Bool { variant(at: site) == 1 ? first <= second : first < second }

@inline(__always)
func lessOrEqual<T: Comparable>(_ first: T, _ second: T, at site: Int) -> Bool { variant(at: site) == 1 ? first < second : first <= second }

@inline(__always)
func greater<T: Comparable>(_ first: T, _ second: T, at site: Int) -> Bool { variant(at: site) == 1 ? first >= second : first > second }

@inline(__always)
func greaterOrEqual<T: Comparable>(_ first: T, _ second: T, at site: Int) -> Bool {
  variant(at: site) == 1 ? first > second : first >= second
}

@inline(__always)
func equal<T: Equatable>(_ first: T, _ second: T, at site: Int) -> Bool { (first == second) != (variant(at: site) == 1) }

@inline(__always)
func equal<T>(_ first: T?, _ second: _OptionalNilComparisonType, at site: Int) -> Bool { (first == nil) != (variant(at: site) == 1) }

@inline(__always)
func unequal<T: Equatable>(_ first: T, _ second: T, at site: Int) -> Bool { (first != second) != (variant(at: site) == 1) }

@inline(__always)
func unequal<T>(_ first: T?, _ second: _OptionalNilComparisonType, at site: Int) -> Bool { (first != nil) != (variant(at: site) == 1) }

@inline(__always)
func and(_ first: Bool, _ second: () -> Bool, at site: Int) -> Bool {
  switch variant(at: site) {
  case 1: first
  case 2: second()
  default: first && second()
  }
}

@inline(__always)
func or(_ first: Bool, _ second: () -> Bool, at site: Int) -> Bool {
  switch variant(at: site) {
  case 1: first
  case 2: second()
  default: first || second()
  }
}

@inline(__always)
func orElse<T>(_ first: T?, _ second: () -> T, at site: Int) -> T { variant(at: site) == 1 ? second() : first ?? second() }

@inline(__always)
func orElse<T>(_ first: T?, _ second: () -> T?, at site: Int) -> T? { variant(at: site) == 1 ? second() : first ?? second() }

@inline(__always)
func range<T: FixedWidthInteger>(_ first: T, _ second: T, at site: Int) -> Range<T> {
  switch variant(at: site) {
  case 1: first..<second &+ 1
  case 2: first..<second &- 1
  default: first..<second
  }
}

@inline(__always)
func closedRange<T: FixedWidthInteger>(_ first: T, _ second: T, at site: Int) -> ClosedRange<T> {
  switch variant(at: site) {
  case 1: first...second &+ 1
  case 2: first...second &- 1
  case 3: first &- 1...second
  case 4: first &+ 1...second
  default: first...second
  }
}

precedencegroup ConditionPrecedence {
  higherThan: TernaryPrecedence
  lowerThan: LogicalDisjunctionPrecedence
}

infix operator ÷÷ : ConditionPrecedence

/// Behind a clause of a condition: true, or false.
@inline(__always)
func ÷÷ (_ condition: Bool, _ site: Int) -> Bool {
  switch variant(at: site) {
  case 1: true
  case 2: false
  default: condition
  }
}
