/// A reason why something cannot be measured.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Takes a result, so that making it cannot be optimized away.
@inline(never) @_optimize(none) func consume<Value>(_ value: borrowing Value) {}
