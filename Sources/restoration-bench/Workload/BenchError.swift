/// The reason for a failed measurement.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Consumes a result, so that the optimizer cannot remove its computation.
@inline(never) @_optimize(none) func consume<Value>(_ value: borrowing Value) {}
