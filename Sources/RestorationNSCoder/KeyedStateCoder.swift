import ArchiveFormat
public import Foundation
import RestorationArchive
import StateRestoration

/// The common part of ``StateArchiver`` and ``StateUnarchiver``: every call of `NSCoder`.
///
/// A call that fails records its error in `error`, returns nil, zero or false, and never ends the process. The first
/// error is the one that counts. Calls without a key are not supported.
public class KeyedStateCoder: NSCoder {
  /// The key under which every decoder answers with the build that saved the archive, as UIKit's decoders do.
  public static let bundleVersionKey = "UIApplicationStateRestorationBundleVersion"
  /// The key under which every decoder answers with the system version.
  public static let systemVersionKey = "UIApplicationStateRestorationSystemVersion"
  /// The key under which every decoder answers with the time of the save.
  public static let timestampKey = "UIApplicationStateRestorationTimestamp"
  /// The key under which every decoder answers with the number of the user-interface idiom.
  public static let userInterfaceIdiomKey = "UIApplicationStateRestorationUserInterfaceIdiom"

  private var firstError: (any Error)?
  /// Whether encoding or decoding has ended.
  private(set) var hasEnded = false

  // MARK: What the subclasses do

  func store(_ value: ArchiveValue, forKey key: String) { refuse("encoding under the key \(key.quoted)", by: "a decoder") }
  /// Encodes an object.
  func storeObject(_ object: Any?, forKey key: String, isConditional: Bool) {
    refuse("encoding under the key \(key.quoted)", by: "a decoder")
  }
  /// Returns the value under a key, or nil if there is none.
  func load(_ key: String) throws -> ArchiveValue? { refuseAndReturnNil("decoding the key \(key.quoted)", by: "an encoder") }
  /// Returns whether there is a value under a key.
  func contains(_ key: String) throws -> Bool { try load(key) != nil }
  /// Returns the object under a key, or nil if there is none.
  func loadObject(_ key: String, of classes: [AnyClass]?) throws -> AnyObject? { try load(key).map { _ in NSNull() } }
  var listedClasses: [AnyClass] { [] }
  /// Returns an error with the place of this coder added.
  func located(_ error: FormatError, _ key: String) -> any Error { ArchiveError(error, key: key) }

  // MARK: Errors

  func record(_ error: any Error) { firstError = firstError ?? error }

  /// Ends encoding or decoding; throws the first error.
  func end() throws {
    hasEnded = true
    if let firstError { throw firstError }
  }

  private func refuse(_ call: String, by coder: String = "an NSCoder for restorable state") {
    record(RestorationError(.unsupportedCall, "\(call) is not supported by \(coder)"))
  }

  private func refuseAndReturnNil<Result>(_ call: String, by coder: String = "an NSCoder for restorable state") -> Result? {
    refuse(call, by: coder)
    return nil
  }

  /// The first error, or nil.
  public override var error: (any Error)? { firstError }
  /// Records an error, as an object's `init(coder:)` does to report that its state is invalid.
  public override func failWithError(_ error: any Error) { record(error) }
  /// Always `setErrorAndReturn`.
  public override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
  /// True.
  public override var allowsKeyedCoding: Bool { true }
  /// True: objects of an app must support secure coding, and their classes must be listed.
  public override var requiresSecureCoding: Bool { true }

  // MARK: Encoding

  public override func encode(_ value: Bool, forKey key: String) { store(.bool(value), forKey: key) }
  public override func encode(_ value: Int32, forKey key: String) { store(.integer(Int(value)), forKey: key) }
  public override func encode(_ value: Int64, forKey key: String) {
    // `Int` has 32 bits on some systems.
    store(ArchiveInteger(exactly: value).map { .integer($0) } ?? .null, forKey: key)
  }
  public override func encode(_ value: Int, forKey key: String) { store(.integer(value), forKey: key) }
  public override func encode(_ value: Float, forKey key: String) { store(.float(Double(value)), forKey: key) }
  public override func encode(_ value: Double, forKey key: String) { store(.float(value), forKey: key) }
  public override func encode(_ object: Any?, forKey key: String) { storeObject(object, forKey: key, isConditional: false) }
  public override func encodeConditionalObject(_ object: Any?, forKey key: String) { storeObject(object, forKey: key, isConditional: true) }

  public override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
    guard length >= 0, unsafe bytes != nil || length == 0 else { return refuse("encoding \(length) bytes") }
    store(.data(unsafe bytes.map { unsafe Data(bytes: $0, count: length) } ?? Data()), forKey: key)
  }

  // MARK: Decoding

  /// Returns the converted value under a key, or the default if there is none or it is null.
  ///
  /// Records the error of a value that cannot be converted.
  private func scalar<Value>(
    _ key: String, _ absent: Value, _ convert: (ArchiveValue) -> () throws(FormatError) -> Value
  ) -> Value {
    recording(absent) {
      guard let value = try load(key), value != .null else { return absent }
      do throws(FormatError) { return try convert(value)() } catch { throw located(error, key) }
    }
  }

  /// Returns the result of `body`; if it throws, records the error and returns the default.
  private func recording<Value>(_ absent: Value, _ body: () throws -> Value) -> Value {
    do {
      return try body()
    } catch {
      record(error)
      return absent
    }
  }

  private func object(_ key: String, _ classes: [AnyClass]?) -> AnyObject? { recording(nil) { try loadObject(key, of: classes) } }

  public override func containsValue(forKey key: String) -> Bool { recording(false) { try contains(key) } }

  public override func decodeBool(forKey key: String) -> Bool { scalar(key, false, ArchiveValue.boolean) }
  public override func decodeCInt(forKey key: String) -> Int32 { decodeInt32(forKey: key) }
  public override func decodeInt32(forKey key: String) -> Int32 { scalar(key, 0, ArchiveValue.integer) }
  public override func decodeInt64(forKey key: String) -> Int64 { scalar(key, 0, ArchiveValue.integer) }
  public override func decodeInteger(forKey key: String) -> Int { scalar(key, 0, ArchiveValue.integer) }
  public override func decodeFloat(forKey key: String) -> Float { scalar(key, 0, ArchiveValue.float) }
  public override func decodeDouble(forKey key: String) -> Double { scalar(key, 0, ArchiveValue.double) }
  public override func decodeObject(forKey key: String) -> Any? { object(key, nil) }
  public override func decodePropertyList(forKey key: String) -> Any? { object(key, FoundationClass.propertyList) }

  /// Returns the bytes under a key, or nil if there are none.
  private func bytes(_ key: String) -> Data? { scalar(key, nil, ArchiveValue.bytes) }

  // MARK: Calls that differ between systems

  #if canImport(ObjectiveC)
    /// The classes whose objects can be decoded: those of the list, and Foundation's.
    public override var allowedClasses: Set<AnyHashable>? {
      // A class is an object itself there.
      Set((listedClasses + FoundationClass.all).compactMap { ($0 as AnyObject) as? NSObject })
    }

    public override func encodeCInt(_ value: Int32, forKey key: String) { store(.integer(Int(value)), forKey: key) }

    public override func __decodeObject(ofClasses classes: Set<AnyHashable>?, forKey key: String) -> Any? {
      object(key, classes.map { $0.compactMap { $0.base as? AnyClass } })
    }

    /// Returns bytes that live as long as the coder.
    public override func decodeBytes(forKey key: String, returnedLength length: UnsafeMutablePointer<Int>?) -> UnsafePointer<UInt8>? {
      guard let data = bytes(key) else { return nil }
      let object = data as NSData
      decodedBytes.append(object)
      unsafe length?.pointee = object.length
      return unsafe object.bytes.assumingMemoryBound(to: UInt8.self)
    }

    private var decodedBytes: [NSData] = []

    public override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer, size: Int) {
      refuse(Self.decodingWithoutKey)
    }
  #else
    /// The classes whose objects can be decoded: those of the list, and Foundation's.
    public override var allowedClasses: [AnyClass]? { listedClasses + FoundationClass.all }

    public override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? { object(key, classes) }

    public override func withDecodedUnsafeBufferPointer<Result>(
      forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
      guard let data = bytes(key) else { return try body(nil) }
      return unsafe try data.withUnsafeBytes { bytes in unsafe try bytes.withMemoryRebound(to: UInt8.self) { unsafe try body($0) } }
    }

    public override func withDecodedUnsafeBytes<Result>(
      forKey key: String, body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
      guard let data = bytes(key) else { return try body(nil) }
      return unsafe try data.withUnsafeBytes { unsafe try body($0) }
    }

    public override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
      refuse(Self.decodingWithoutKey)
    }
  #endif

  // MARK: Calls without a key

  private static let encodingWithoutKey = "encoding without a key, in place of encode(_:forKey:),"
  private static let decodingWithoutKey = "decoding without a key, in place of decodeObject(forKey:),"

  // The other calls without a key call one of these.

  public override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer) { refuse(Self.encodingWithoutKey) }
  public override func encode(_ data: Data) { refuse(Self.encodingWithoutKey) }
  public override func encode(_ object: Any?) { refuse(Self.encodingWithoutKey) }
  public override func encodeBytes(_ address: UnsafeRawPointer?, length: Int) { refuse(Self.encodingWithoutKey) }
  public override func encodeArray(ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeRawPointer) {
    refuse(Self.encodingWithoutKey)
  }
  public override func encodePropertyList(_ propertyList: Any) { refuse(Self.encodingWithoutKey) }
  public override func decodeData() -> Data? { refuseAndReturnNil(Self.decodingWithoutKey) }
  public override func decodeObject() -> Any? { refuseAndReturnNil(Self.decodingWithoutKey) }
  public override func decodeArray(ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeMutableRawPointer) {
    refuse(Self.decodingWithoutKey)
  }
  public override func decodePropertyList() -> Any? { refuseAndReturnNil(Self.decodingWithoutKey) }
  public override func version(forClassName className: String) -> Int {
    refuse("the version of a class")
    return NSNotFound
  }
}
