import Foundation

/// A value of the model that all formats encode.
enum BenchValue {
  case string(String)
  case integer(Int)
  case double(Double)
  case bool(Bool)
  case date(Date)
  case data(Data)
  case array([BenchValue])
  case dictionary([BenchEntry])
  /// A value of a Codable type of its own.
  indirect case selection(BenchSelection)
}
