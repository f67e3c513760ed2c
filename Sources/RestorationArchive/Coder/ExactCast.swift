// Generic code has to ask whether a value is of one of the types that the format has its own form for. Casting with `as?` asks the
// runtime, at some 100 ns a question; comparing the types asks nobody.

/// The value as a `Target`, if that is exactly its type.
@inline(__always)
func exactCast<Value, Target>(_ value: Value, to type: Target.Type) -> Target? {
  guard Value.self == Target.self else { return nil }
  // The types are the same, so the bits are.
  return unsafe unsafeBitCast(value, to: Target.self)
}
