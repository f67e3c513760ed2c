/// The Codable value that some entries of the workloads hold.
struct BenchSelection: Codable {
  var section: Int
  var row: Int
  var identifier: String
}
