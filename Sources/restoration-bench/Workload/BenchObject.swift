import Foundation
import StateRestoration

/// A live object with a dozen values, as an app has many of.
final class BenchObject: Restorable {
  static var restorationType: String { "Node" }
  static var restorationSchema: Int { 1 }

  let restorationIdentifier: String?
  var restorationChildren: [any Restorable] { children }

  var children: [BenchObject] = []
  var title = ""
  var subtitle = ""
  var detail = ""
  var path = ""
  var row = 0
  var column = 0
  var offset = 0.0
  var zoom = 0.0
  var isOpen = false
  var isSelected = false
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var tags: [String] = []
  weak var neighbour: BenchObject?

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeValues(with: coder)
    if let neighbour { try coder.encode(reference: neighbour, forKey: "neighbour") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decodeValues(with: coder)
    children = try coder.restoredChildren(of: BenchObject.self)
    neighbour = try coder.decodeIfPresent(reference: "neighbour")
  }

  /// The values alone, as without an engine.
  func encodeValues(with coder: StateEncoder) throws {
    try coder.encode(title, forKey: "title")
    try coder.encode(subtitle, forKey: "subtitle")
    try coder.encode(detail, forKey: "detail")
    try coder.encode(path, forKey: "path")
    try coder.encode(row, forKey: "row")
    try coder.encode(column, forKey: "column")
    try coder.encode(offset, forKey: "offset")
    try coder.encode(zoom, forKey: "zoom")
    try coder.encode(isOpen, forKey: "isOpen")
    try coder.encode(isSelected, forKey: "isSelected")
    try coder.encode(date, forKey: "date")
  }

  func decodeValues(with coder: StateDecoder) throws {
    title = try coder.decode(String.self, forKey: "title")
    subtitle = try coder.decode(String.self, forKey: "subtitle")
    detail = try coder.decode(String.self, forKey: "detail")
    path = try coder.decode(String.self, forKey: "path")
    row = try coder.decode(Int.self, forKey: "row")
    column = try coder.decode(Int.self, forKey: "column")
    offset = try coder.decode(Double.self, forKey: "offset")
    zoom = try coder.decode(Double.self, forKey: "zoom")
    isOpen = try coder.decode(Bool.self, forKey: "isOpen")
    isSelected = try coder.decode(Bool.self, forKey: "isSelected")
    date = try coder.decode(Date.self, forKey: "date")
  }
}
