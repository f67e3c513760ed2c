#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The app's own cryptography around whole archives (Spec §11).
///
/// The checksums of an archive find accidents; whoever can write the file can make them right. An app that must know that it wrote the file
/// itself, or must keep it secret, conforms a type of its own and passes every archive through it, at the one place where bytes leave and
/// enter the app:
///
///     try seal.seal(writer.finish()).write(to: file)
///     let archive = try ArchiveReader(sealed: Data(contentsOf: file), by: seal)
///
/// Use authenticated encryption or a message authentication code over all bytes, with a key that whoever can write the file does not have.
/// A sealed file is opened whole, so nothing is read on demand. A seal does not tell an old file from a new one: bind a counter that is kept
/// elsewhere into it, if that matters.
public protocol ArchiveSeal {
  /// Seals an archive.
  func seal(_ archive: Data) throws -> Data
  /// Opens what ``seal(_:)`` gave, and throws if it was changed in any way.
  func open(_ sealed: Data) throws -> Data
}

extension ArchiveReader {
  /// Opens a sealed archive.
  ///
  /// - Throws: What the seal throws; else what is wrong with prefix or metadata.
  public init(sealed: Data, by seal: some ArchiveSeal, limits: ReaderLimits = .standard) throws {
    try self.init(seal.open(sealed), limits: limits)
  }
}
