import RestorationArchive

/// The name of an archive: the app's or that of one scene.
public struct ArchiveName: Sendable, Hashable, CustomStringConvertible {
  /// The identifier of the scene; nil for the app.
  public let scene: String?
  /// A hash of the identifier, which decides most comparisons: names are compared all the time.
  private let key: Int

  /// The archive of the app as a whole.
  public static let application = ArchiveName(scene: nil)

  /// Returns the archive of a scene; nil if the identifier is empty or too long.
  ///
  /// The limit is 120 bytes in the file name, where every byte other than lowercase letters, digits, `-` and `_` takes
  /// three.
  public static func scene(_ identifier: String) -> ArchiveName? {
    let name = ArchiveName(scene: identifier)
    return identifier.isEmpty || name.fileName.utf8.count > 120 + scenePrefix.utf8.count ? nil : name
  }

  private init(scene: String?) {
    self.scene = scene
    key = scene.map { TextKey($0).hashValue } ?? 0
  }

  /// Compares identifiers byte by byte, as file names do: two forms of the same text are two scenes.
  public static func == (left: ArchiveName, right: ArchiveName) -> Bool {
    left.key == right.key && left.scene.map { TextKey($0) } == right.scene.map { TextKey($0) }
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  private static let scenePrefix = "scene-"

  /// The prefix of the archive's file names.
  ///
  /// Capitals are escaped too, because some file systems are case-insensitive.
  package var fileName: String {
    guard let scene else { return "application" }
    var name = Self.scenePrefix
    for byte in scene.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return name
  }

  /// Parses the prefix of a file name; nil if it names no archive.
  init?(fileName: String) {
    if fileName == "application" {
      self = .application
      return
    }
    guard fileName.hasPrefix(Self.scenePrefix) else { return nil }
    var bytes: [UInt8] = []
    var rest = fileName.utf8.dropFirst(Self.scenePrefix.utf8.count)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    guard let identifier = String(validating: bytes, as: UTF8.self), let name = ArchiveName.scene(identifier), name.fileName == fileName
    else { return nil }
    self = name
  }

  /// "application", or "scene" and the identifier.
  public var description: String { scene.map { "scene \($0.escapedForDisplay)" } ?? "application" }
}

extension RestorationPath {
  /// The greatest number of components, and so the greatest depth of an object.
  static let maximumCount = 256
}
