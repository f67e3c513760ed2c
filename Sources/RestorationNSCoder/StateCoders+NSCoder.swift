public import StateRestoration

extension StateEncoder {
  /// Encodes with code that was written for `NSCoder`.
  ///
  ///     try coder.withNSCoder { controller.encodeRestorableState(with: $0) }
  ///
  /// - Parameters:
  ///   - classes: The classes of the app's own objects that may be encoded.
  ///   - body: Encodes; the `NSCoder` is valid until it returns.
  /// - Returns: The result of `body`.
  /// - Throws: The first error of the calls in `body`, an `ArchiveError` or a `RestorationError`; a mistake in
  ///   `classes`; rethrows the error of `body`.
  public func withNSCoder<Result>(classes: ObjectClasses = [:], _ body: (StateArchiver) throws -> Result) throws -> Result {
    try withNSCoder(classes: classes, maximumValues: ObjectEncoding.maximumValues, body)
  }

  /// Encodes at most a number of values.
  package func withNSCoder<Result>(
    classes: ObjectClasses, maximumValues: Int, _ body: (StateArchiver) throws -> Result
  ) throws -> Result {
    try classes.check()
    let coder = StateArchiver(ObjectEncoding(state: self, classes: classes, maximumValues: maximumValues), isOutermost: true)
    let result = try body(coder)
    try coder.end()
    return result
  }
}

extension StateDecoder {
  /// Decodes with code that was written for `NSCoder`.
  ///
  ///     try coder.withNSCoder { controller.decodeRestorableState(with: $0) }
  ///
  /// - Parameters:
  ///   - classes: The classes of the app's own objects that may be created.
  ///   - body: Decodes; the `NSCoder` is valid until it returns.
  /// - Returns: The result of `body`.
  /// - Throws: The first error of the calls in `body`, an `ArchiveError` or a `RestorationError`; a mistake in
  ///   `classes`; rethrows the error of `body`.
  public func withNSCoder<Result>(classes: ObjectClasses = [:], _ body: (StateUnarchiver) throws -> Result) throws -> Result {
    try classes.check()
    let coder = StateUnarchiver(ObjectDecoding(state: self, classes: classes))
    let result = try body(coder)
    try coder.end()
    return result
  }
}

extension FactoryRequest {
  /// Reads the node's state with code that was written for `NSCoder`, such as the restoration class of a view
  /// controller.
  ///
  ///     Factory(DetailController.self) { node in
  ///       try node.withNSCoder { coder in
  ///         DetailController.viewController(withRestorationIdentifierPath: node.path.components, coder: coder)
  ///       }
  ///     }
  ///
  /// - Throws: The errors of `StateDecoder.withNSCoder(classes:_:)`; the reason why the state is
  ///   unreadable.
  public func withNSCoder<Result>(classes: ObjectClasses = [:], _ body: (StateUnarchiver) throws -> Result) throws -> Result {
    try decoder().withNSCoder(classes: classes, body)
  }
}
