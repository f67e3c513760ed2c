import Foundation

/// A validator for the keywords of JSON Schema that the schemas of the Spec use.
///
/// Any other keyword is an error, so that no part of a schema is skipped.
struct JSONSchema {
  /// A keyword that this validator does not know.
  struct UnknownKeyword: Error {
    let keyword: String
  }

  private static let annotations: Set<String> = ["$schema", "$id", "$comment", "$defs", "title", "description", "examples"]

  private let root: JSONDocument
  /// The patterns by their text, compiled once.
  private var expressions: [String: NSRegularExpression] = [:]

  init(_ root: JSONDocument) throws {
    self.root = root
    try compilePatterns(in: root)
  }

  private mutating func compilePatterns(in schema: JSONDocument) throws {
    if let pattern = schema["pattern"]?.text { expressions[pattern] = try NSRegularExpression(pattern: pattern) }
    for part in schema.elements + schema.members.values { try compilePatterns(in: part) }
  }

  /// Returns whether a document is valid.
  func accepts(_ document: JSONDocument) throws -> Bool {
    try accepts(document, root)
  }

  private func accepts(_ value: JSONDocument, _ schema: JSONDocument) throws -> Bool {
    if case .bool(let isAccepted) = schema { return isAccepted }
    for (name, argument) in schema.members {
      let keyword = String(decoding: name, as: UTF8.self)
      if Self.annotations.contains(keyword) { continue }
      guard try fulfils(keyword, argument, value, schema) else { return false }
    }
    return true
  }

  private func fulfils(_ keyword: String, _ argument: JSONDocument, _ value: JSONDocument, _ schema: JSONDocument) throws -> Bool {
    switch keyword {
    case "$ref": try accepts(value, try definition(argument))
    case "type": (argument.elements.isEmpty ? [argument] : argument.elements).contains { isOfType($0.text ?? "", value) }
    case "const": value == argument
    case "enum": argument.elements.contains(value)
    case "not": try !accepts(value, argument)
    case "anyOf": try argument.elements.contains { try accepts(value, $0) }
    case "allOf": try argument.elements.allSatisfy { try accepts(value, $0) }
    case "if": try schema[try accepts(value, argument) ? "then" : "else"].map { try accepts(value, $0) } ?? true
    case "then", "else": true
    case "minimum": (value.number ?? .infinity) >= argument.number ?? .nan
    case "maximum": (value.number ?? -.infinity) <= argument.number ?? .nan
    default: try fulfilsInside(keyword, argument, value, schema)
    }
  }

  /// Checks the keywords for strings, arrays and objects.
  private func fulfilsInside(
    _ keyword: String, _ argument: JSONDocument, _ value: JSONDocument, _ schema: JSONDocument
  ) throws -> Bool {
    let limit = Int(argument.number ?? 0)
    switch (keyword, value) {
    case ("minLength", .string): return (value.text ?? "").unicodeScalars.count >= limit
    case ("maxLength", .string): return (value.text ?? "").unicodeScalars.count <= limit
    case ("pattern", .string): return matches(argument, value)
    case ("minItems", .array(let elements)): return elements.count >= limit
    case ("maxItems", .array(let elements)): return elements.count <= limit
    case ("uniqueItems", .array(let elements)): return argument == .bool(false) || Set(elements).count == elements.count
    case ("items", .array(let elements)): return try elements.allSatisfy { try accepts($0, argument) }
    case ("minProperties", .object(let members)): return members.count >= limit
    case ("maxProperties", .object(let members)): return members.count <= limit
    case ("required", .object(let members)): return argument.elements.allSatisfy { members[Array(($0.text ?? "").utf8)] != nil }
    case ("propertyNames", .object(let members)): return try members.keys.allSatisfy { try accepts(.string($0), argument) }
    case ("properties", .object(let members)):
      return try argument.members.allSatisfy { key, schema in try members[key].map { try accepts($0, schema) } ?? true }
    case ("additionalProperties", .object(let members)):
      let named = schema["properties"]?.members ?? [:]
      return try members.allSatisfy { key, member in try named[key] != nil || accepts(member, argument) }
    case ("minLength", _), ("maxLength", _), ("pattern", _), ("minItems", _), ("maxItems", _), ("uniqueItems", _), ("items", _),
      ("minProperties", _), ("maxProperties", _), ("required", _), ("propertyNames", _), ("properties", _), ("additionalProperties", _):
      return true
    default: throw UnknownKeyword(keyword: keyword)
    }
  }

  private func definition(_ reference: JSONDocument) throws -> JSONDocument {
    let name = reference.text ?? ""
    guard name.hasPrefix("#/$defs/"), let definition = root["$defs"]?[String(name.dropFirst(8))] else {
      throw UnknownKeyword(keyword: "$ref \(name)")
    }
    return definition
  }

  private func isOfType(_ name: String, _ value: JSONDocument) -> Bool {
    switch (name, value) {
    case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array), ("object", .object): true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }

  private func matches(_ pattern: JSONDocument, _ value: JSONDocument) -> Bool {
    let text = value.text ?? ""
    return expressions[pattern.text ?? ""]?.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
  }
}
