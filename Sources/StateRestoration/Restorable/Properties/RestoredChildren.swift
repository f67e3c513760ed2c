/// The children of a ``Restorable`` object, which report when they are changed.
///
///     final class Window: Restorable {
///       static let tracksChanges = true
///       let restorationIdentifier: String? = "window"
///       @RestoredChildren var tabs: [Tab] = []
///       var restorationChildren: [any Restorable] { tabs }
///     }
///
/// Adding, removing and moving a child counts as a change of the object. What is encoded does not change: children are
/// saved because ``Restorable/restorationChildren`` returns them.
@propertyWrapper
public struct RestoredChildren<Child> {
  /// The children, in a separate object so that the owner can be set through a mirror.
  private final class Storage: ReportingProperty {
    var children: [Child]
    /// Set when the owner is first encoded or decoded.
    var properties: RestoredProperties?

    init(_ children: [Child]) {
      self.children = children
    }

    func noteChange() {
      if let properties { properties.noteChangedChildren() } else { UnclaimedChanges.send() }
    }
  }

  private let storage: Storage

  /// Creates a property with its first children.
  public init(wrappedValue: [Child]) {
    storage = Storage(wrappedValue)
  }

  /// The children, in restoration order.
  public var wrappedValue: [Child] {
    get { storage.children }
    // In place: a copy of all children for each one that is appended would take quadratic time.
    nonmutating _modify {
      defer { storage.noteChange() }
      yield &storage.children
    }
  }
}

extension RestoredChildren: ReportingWrapper {
  var reporter: any ReportingProperty { storage }
}
