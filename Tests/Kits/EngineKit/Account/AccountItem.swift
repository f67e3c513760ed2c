import StateRestoration

/// A mistake in the code of an object that restores.
enum AccountFault: CaseIterable {
  case none
  /// Throws when all is decoded except the state.
  case throwing
  /// Throws when a part of the state is decoded.
  case partial
  /// Throws before it asks for its children.
  case beforeChildren
  /// Replaces its children by new ones.
  case replacing
  /// Does not ask for its children, and has none.
  case dropping
}

/// An object of the app whose values are accounted for.
class AccountItem: Restorable {
  class var restorationType: String { "" }
  class var restorationSchemaVersion: Int { 0 }
  var restorationIdentifier: String?
  var restorationChildren: [any Restorable] { children }
  var children: [AccountItem] = []
  var values: [String: Int] = [:]
  /// The values that it has taken in whole, or that the user has given to it.
  var own: Set<Int> = []
  /// Whether a save had its own values.
  var wasSaved = false
  /// The path of the node that it was restored from.
  var source: RestorationPath?
  var target: AccountItem?
  var fault = AccountFault.none
  /// The paths at which it has been.
  var paths: Set<RestorationPath> = []

  private struct Mistake: Error {}

  required init(_ identifier: String?) { restorationIdentifier = identifier }

  func encodeRestorableState(with coder: StateEncoder) throws {
    for (key, value) in values { try coder.encode(value, forKey: key) }
    try coder.encode(reference: target, forKey: "target")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    switch fault {
    case .beforeChildren: throw Mistake()
    case .dropping: children = []
    case .replacing: children = try coder.restoredChildren(of: AccountItem.self).map { type(of: $0).init($0.restorationIdentifier) }
    case .none, .throwing, .partial: children = try coder.restoredChildren()
    }
    if fault == .throwing { throw Mistake() }
    for key in coder.allKeys.sorted() where key != "target" {
      values[key] = try coder.decode(Int.self, forKey: key)
      if fault == .partial { throw Mistake() }
    }
    if fault == .partial { throw Mistake() }
    target = try coder.decodeReferenceIfPresent(forKey: "target", as: AccountItem.self)
    own.formUnion(values.values)
    source = coder.path
  }
}

/// An object with a type.
final class AccountNote: AccountItem {
  override class var restorationType: String { "Note" }
  override class var restorationSchemaVersion: Int { 1 }
}

/// The same type in another build.
final class AccountNewNote: AccountItem {
  override class var restorationType: String { "Note" }
  override class var restorationSchemaVersion: Int { 2 }
}

/// An object of another type.
final class AccountDraft: AccountItem {
  override class var restorationType: String { "Draft" }
  override class var restorationSchemaVersion: Int { 1 }
}

/// The delegate with the application state.
final class AccountSettings: RestorationDelegate {
  var theme = 0
  /// Whether the theme was taken in, or given by the user.
  var isOwn = true
  var fails = false
  var make: ((FactoryRequest) throws -> FactoryResult?)?

  private struct Mistake: Error {}

  func willEncodeRestorableState(with coder: StateEncoder) throws { try coder.encode(theme, forKey: "theme") }

  func didDecodeRestorableState(with coder: StateDecoder) throws {
    isOwn = !fails
    if fails { throw Mistake() }
    theme = try coder.decode(Int.self, forKey: "theme", default: theme)
  }

  func restorableObject(for node: FactoryRequest) throws -> FactoryResult? { node.type == nil ? try make?(node) : nil }
}
