import RestorationArchive

/// The other open archives of the app: objects move from one to another, and may be in two by mistake.
extension Capture {
  /// Returns the other open archive that an object belongs to, itself or by its parents.
  func owner(of object: any Restorable) -> ArchiveName? {
    var next: (any Restorable)? = object
    for _ in 0..<RestorationPath.maximumCount {
      guard let object = next, application.registered[object] == nil else { return nil }
      if let archive = owners[ObjectIdentifier(object)] { return archive }
      next = object.restorationParent
    }
    return nil
  }

  func findOwners() -> [ObjectIdentifier: ArchiveName] {
    var owners: [ObjectIdentifier: ArchiveName] = [:]
    for (archive, tree) in application.others?() ?? [] {
      var seen = IdentityTable()
      LiveWalk.visit(tree.roots + tree.registeredObjects, seen: &seen) { owners[ObjectIdentifier($0)] = archive }
    }
    return owners
  }

  /// Returns why an object has no path for a reference.
  func whyWithoutPath(_ object: any Restorable) -> String {
    guard let archive = owner(of: object) else { return "which has no path" }
    return "which belongs to \(Self.name(of: archive)) (store identifiers instead: a reference stays within one archive)"
  }

  private static func name(of archive: ArchiveName) -> String {
    archive.scene.map { "the scene \($0.quotedForDisplay)" } ?? "the app as a whole"
  }

  /// Returns the last state of an object in another open archive; nil if there is none.
  func lastStateElsewhere(of object: any Restorable) -> RestorableTree.LastState? {
    (application.others?() ?? []).lazy.compactMap { $0.tree.lastState(of: object) }.first
  }

  /// Reports the objects that another open archive has too: each saves them, and a launch makes an object for each.
  func noteShared(among numbers: Range<Int>) {
    // Cheaper than a walk, which only an object that was captured there needs: it may have moved since.
    let captured = (application.others?() ?? []).compactMap(\.tree.savedObjects?.tree)
    if captured.isEmpty { return }
    // Whoever got an object last has asked the others about it.
    let before = application.savedObjects?.tree
    var shared: Set<Int> = []
    for number in numbers {
      guard let object = tree[number].object, before?.sealedNumber(of: object) == nil,
        captured.contains(where: { $0.number(of: object) != nil }), let archive = owners[ObjectIdentifier(object)]
      else { continue }
      let path = tree.path(of: number)
      // Both archives have to hear of its changes.
      (try? RestoredProperties.find(of: object) { path })?.areShared = true
      shared.insert(number)
      if shared.contains(Int(tree[number].parent)) { continue }
      let message = "the object is also in \(Self.name(of: archive)), and is saved in both: a launch makes two objects of it"
      report(.twice, path, message + "; one of them should store its identifier instead")
    }
  }
}
