import RestorationArchive

extension RestorableApplication {
  /// Compares a capture of changes with a capture of everything.
  ///
  /// - Throws: ``RestorationError`` if they differ: an object has changed without reporting it.
  func verify(_ captured: PreservedChanges, header: ArchiveHeader, options: PreservationOptions) throws {
    guard let before = verifiedState else { return }
    var options = options
    options.extent = .everything
    let run = PreservationRun(self, header: header, options: options)
    guard try run.encodeApplication() == .save else { return }
    try run.encodeObjects()
    run.carryOver()
    run.orderSiblings()
    let everything = [UInt8](try run.writer.finish())
    writer = run.writer
    let changes = try captured.changes()
    let link = try changes.link().data(after: ArchiveReader(before).contentDigest)
    let chain = ArchiveChain(base: before, links: [[UInt8](link)])
    if let error = chain.error { throw RestorationError(.untoldChange, "the captured changes cannot be applied: \(error)") }
    guard chain.bytes == everything else { throw try untoldChange(chain.bytes, everything) }
    verifiedState = everything
  }

  private func untoldChange(_ captured: [UInt8], _ everything: [UInt8]) throws -> RestorationError {
    let known = try ArchiveTree(decoding: ArchiveReader(captured))
    let real = try ArchiveTree(decoding: ArchiveReader(everything))
    guard let path = Self.firstDifference(known.nodes, real.nodes, at: .application) else {
      return RestorationError(.untoldChange, "the captured changes give another archive than a capture of everything")
    }
    let object = LiveWalk.index(roots)[path].map { "the \(type(of: $0)) at" } ?? "the object at"
    return RestorationError(
      .untoldChange, path: path,
      "\(object) \(path.textForDisplay) tracks its changes, and has changed its state or its children without setNeedsSave()")
  }

  /// Returns the path of the first node that differs, or whose children do.
  private static func firstDifference(_ known: [ArchiveNode], _ real: [ArchiveNode], at path: RestorationPath) -> RestorationPath? {
    guard known.count == real.count else { return path }
    for (left, right) in zip(known, real) {
      guard left.identifier.isSameText(as: right.identifier) else { return path }
      var (bareLeft, bareRight) = (left, right)
      (bareLeft.children, bareRight.children) = ([], [])
      let below = path.appending(left.identifier)
      if bareLeft != bareRight { return below }
      if let difference = firstDifference(left.children, right.children, at: below) { return difference }
    }
    return nil
  }
}
