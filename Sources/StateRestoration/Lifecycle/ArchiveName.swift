/// Which archive of an app: that of the app as a whole, or that of one scene.
public struct ArchiveName: Sendable, Hashable, CustomStringConvertible {
  /// The scene's identifier; nil for the app.
  public let scene: String?

  /// The archive of the app as a whole.
  public static let application = ArchiveName(scene: nil)

  /// The archive of a scene; nil if the identifier is empty, or too long for a file name: 120 bytes, where all but small letters, digits, `-`
  /// and `_` count for three.
  public static func scene(_ identifier: String) -> ArchiveName? {
    let name = ArchiveName(scene: identifier)
    return identifier.isEmpty || name.fileName.utf8.count > 120 + scenePrefix.utf8.count ? nil : name
  }

  private init(scene: String?) {
    self.scene = scene
  }

  private static let scenePrefix = "scene-"

  /// What the names of its files begin with.
  ///
  /// Capitals are escaped too, because some file systems do not tell them from small letters.
  var fileName: String {
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

  /// The archive whose files begin with a name; nil if it is no such name.
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

  /// "application", or "scene" and its identifier.
  public var description: String { scene.map { "scene \($0.escapedForDisplay)" } ?? "application" }
}
