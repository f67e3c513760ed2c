/// A value under a key.
struct BenchEntry {
  var key: String
  var value: BenchValue
}
