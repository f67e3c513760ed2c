/// The value as a `Target`, which its type must be: for generic code that has compared the types.
@inline(__always)
func sameType<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  // The types are the same, so the bits are.
  return unsafe unsafeBitCast(value, to: Target.self)
}

/// An object as one of the class that it was made as, for generic code that has compared what the class is generic in.
///
/// A test of the class itself would look up its metadata, which is what such code goes around; debug builds make it.
@inline(__always)
func sameClass<Target: AnyObject>(_ object: AnyObject, as type: Target.Type) -> Target {
  unsafe unsafeDowncast(object, to: type)
}
