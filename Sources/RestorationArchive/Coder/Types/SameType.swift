/// Returns the value as a `Target`, which must be its type; for generic code that has compared the types.
@inline(__always)
func sameType<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  // The types are the same, and therefore the bits.
  return unsafe unsafeBitCast(value, to: Target.self)
}

/// Returns an object as an instance of the class that it was created as, for generic code that has compared the class's
/// generic arguments.
///
/// A checked cast would look up the class metadata, which this code avoids; debug builds perform the check.
@inline(__always)
func sameClass<Target: AnyObject>(_ object: AnyObject, as type: Target.Type) -> Target {
  unsafe unsafeDowncast(object, to: type)
}
