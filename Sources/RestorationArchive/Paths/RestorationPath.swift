import ArchiveFormat

/// The restoration identifiers from the root down to a node, which identify the node in an archive (Spec §3.1).
///
/// A path is an array of identifiers. Its text form joins them with `/`; within an identifier, `/` is written as `~1`
/// and `~` as `~0`. The empty path identifies the app itself.
///
///     let path: RestorationPath = "root/editors/2"
///     path.components            // ["root", "editors", "2"]
///     path.appending("outline")  // root/editors/2/outline
///
/// Unlike strings, paths compare byte by byte: two normalization forms of a text are different paths.
public struct RestorationPath: Sendable {
  /// The identifiers from the root down.
  public let components: [String]

  /// The empty path, which identifies the app itself.
  public static let application = RestorationPath(unchecked: [])

  init(unchecked components: [String]) {
    self.components = components
  }

  /// The number of identifiers.
  public var count: Int { components.count }

  /// Whether the path is empty and thus identifies the app itself.
  public var isEmpty: Bool { components.isEmpty }

  /// The identifier of the node; nil for the empty path.
  public var identifier: String? { components.last }

  /// The path of the parent; nil for the empty path.
  public var parent: RestorationPath? {
    isEmpty ? nil : RestorationPath(unchecked: components.dropLast())
  }

  /// Returns the path of a child.
  ///
  /// - Precondition: The identifier has 1 to 1,024 bytes, and the path has fewer than 256 components.
  public func appending(_ identifier: String) -> RestorationPath {
    precondition(FormatLimits.identifier.contains(identifier.utf8.count), "an identifier has 1 to 1024 bytes")
    precondition(count < FormatLimits.pathComponents, "a path has at most 256 components")
    var appended: [String] = []
    appended.reserveCapacity(count + 1)
    appended.append(contentsOf: components)
    appended.append(identifier)
    return RestorationPath(unchecked: appended)
  }

  /// Returns whether the other path is this one or lies below it.
  public func contains(_ other: RestorationPath) -> Bool {
    count <= other.count && zip(components, other.components).allSatisfy { $0.isIdenticalText(to: $1) }
  }
}

extension RestorationPath: Hashable, Comparable {
  /// Returns whether the identifiers have the same bytes.
  public static func == (left: RestorationPath, right: RestorationPath) -> Bool {
    left.count == right.count && left.contains(right)
  }

  /// Hashes the bytes of the identifiers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for component in components {
      component.withUTF8Bytes { bytes in
        for index in bytes.indices { hasher.combine(bytes[index]) }
      }
      hasher.combine(UInt8(0xFF))
    }
  }

  /// Returns whether the left path precedes the right one, comparing identifiers by their bytes; a parent precedes its
  /// children.
  public static func < (left: RestorationPath, right: RestorationPath) -> Bool {
    for (mine, theirs) in zip(left.components, right.components) {
      let order = mine.compareText(with: theirs)
      if order != 0 { return order < 0 }
    }
    return left.count < right.count
  }
}

extension RestorationPath: CustomStringConvertible {
  /// The text form.
  public var description: String {
    components.map(PathEscapes.path.escape).joined(separator: "/")
  }
}

extension RestorationPath {
  /// The path on one line for people, safe to print; only its end if the path is too long for a line.
  ///
  /// A path can take a quarter of a megabyte. The omitted part is shown as an ellipsis; JSON output has whole paths.
  package var displayText: String {
    if isEmpty { return "(application)" }
    var shown = components.count - 1
    var byteCount = components[shown].utf8.count
    while shown > 0, byteCount + components[shown - 1].utf8.count < 1024 {
      shown -= 1
      byteCount += components[shown].utf8.count + 1
    }
    let text = components[shown...].map(PathEscapes.path.escape).joined(separator: "/").escapedForDisplay
    return shown == 0 ? text : "…/\(text)"
  }

  /// The text form in pieces, so that it need not be in memory as a whole.
  package var pieces: some Sequence<String> {
    components.enumerated().lazy.map { ($0 == 0 ? "" : "/") + PathEscapes.path.escape($1) }
  }
}
