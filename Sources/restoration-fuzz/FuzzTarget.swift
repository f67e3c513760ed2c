#if FUZZING
  import CorpusKit
  import KeyedArchiveKit
  import PropertyKit
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The fuzzed properties: the comma-separated list in `RESTORATION_PROPERTY`, by default the decoding property.
  private let properties: [FuzzedProperty] = {
    guard let names = unsafe getenv("RESTORATION_PROPERTY") else { return [.archive(.decoding)] }
    return unsafe String(cString: names).split(separator: ",").map { name in
      guard let property = FuzzedProperty(name: String(name)) else {
        preconditionFailure("RESTORATION_PROPERTY: \(name) is none of \(FuzzedProperty.names)")
      }
      return property
    }
  }()

  /// Whether inputs are archives, whose checksums mutations recompute.
  private let hasChecksums = properties.contains { if case .keyedArchive = $0 { false } else { true } }

  /// libFuzzer's default mutator.
  @_silgen_name("LLVMFuzzerMutate")
  private func mutatePlainly(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

  /// Checks the properties.
  ///
  /// A violation ends the process, as a trap does, so that libFuzzer keeps the input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
    for property in properties {
      do {
        try property.check(bytes)
      } catch {
        fatalError("\(property.name): \(error)")
      }
    }
    return 0
  }

  /// Mutates an input, with libFuzzer's mutator or with format-aware mutations that recompute checksums.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
    if seed % 4 == 0 { return unsafe mutatePlainly(data, count, limit) }
    var bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
    if bytes.starts(with: "bplist".utf8) {
      var mutator = PropertyListMutator(seed: UInt64(seed))
      bytes = mutator.mutate(bytes)
    } else if bytes.starts(with: KeyedArchiveProperty.savedStateMark) {
      var mutator = PropertyListMutator(seed: UInt64(seed))
      bytes = mutator.mutateSavedState(bytes)
    } else if !hasChecksums {
      return unsafe mutatePlainly(data, count, limit)
    } else if seed % 4 == 1 {
      let plain = unsafe mutatePlainly(data, count, limit)
      bytes = ArchiveMutator.mended(unsafe [UInt8](UnsafeBufferPointer(start: data, count: plain)))
    } else {
      var mutator = ArchiveMutator(seed: UInt64(seed))
      bytes = mutator.mutate(bytes, limit: limit)
    }
    guard bytes.count <= limit else { return unsafe mutatePlainly(data, count, limit) }
    for (index, byte) in bytes.enumerated() { unsafe data[index] = byte }
    return bytes.count
  }
#endif
