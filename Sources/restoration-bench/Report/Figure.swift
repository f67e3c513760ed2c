/// One thing that was measured.
struct Figure {
  enum Measure {
    /// How long it took, and how many bytes it went through, if that says something.
    case time(Timing, byteCount: Int?)
    /// How long the encoded form is.
    case bytes(Int)
    /// How many blocks were read.
    case blocks(Int)
    /// How much more memory was resident at the peak of an operation.
    case memory(of: Operation, Int)
  }

  let operation: Operation
  let load: Load
  let contender: Contender
  let measure: Measure
}
