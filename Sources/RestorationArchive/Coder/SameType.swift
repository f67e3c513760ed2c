/// The value as a `Target`, which its type must be: for generic code that has compared the types.
@inline(__always)
func sameType<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  // The types are the same, so the bits are.
  return unsafe unsafeBitCast(value, to: Target.self)
}
