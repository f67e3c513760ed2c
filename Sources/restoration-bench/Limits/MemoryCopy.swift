/// Copying bytes into memory of their own: what nobody who produces or reads them can be faster than.
enum MemoryCopy {
  static func copy(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        count = unsafe target.initialize(from: source).1
      }
    }
  }
}
