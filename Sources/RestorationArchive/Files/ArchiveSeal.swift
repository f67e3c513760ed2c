#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An app's own cryptography around whole archives (Spec §11).
///
/// The checksums of an archive detect accidents only: an attacker with write access can recompute them. An app that
/// must authenticate or encrypt its archives conforms a type to this protocol, and uses it at the one place where
/// archives leave and enter the app:
///
///     try seal.seal(writer.finish()).write(to: file)
///     let archive = try ArchiveReader(sealed: Data(contentsOf: file), by: seal)
///
/// Use authenticated encryption or a message authentication code over all bytes, with a key that is unavailable to
/// anyone with write access to the file. A sealed file is opened as a whole, so nothing is read on demand. A seal does
/// not detect replay of an old file: if that matters, bind it to a counter stored elsewhere.
public protocol ArchiveSeal {
  /// Seals an archive.
  func seal(_ archive: Data) throws -> Data
  /// Opens the result of ``seal(_:)``, and throws if it has been changed in any way.
  func open(_ sealed: Data) throws -> Data
}

extension ArchiveReader {
  /// Opens a sealed archive.
  ///
  /// - Throws: The seal's error, or one for a fault in the prefix or metadata.
  public init(sealed: Data, by seal: some ArchiveSeal, limits: ReaderLimits = .standard) throws {
    try self.init(seal.open(sealed), limits: limits)
  }
}
