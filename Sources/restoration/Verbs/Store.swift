import RestorationArchive
import RestorationInspection
import StateRestoration

enum Store: Verb {
  static let name = "store"
  static let summary = "list the saved generations of an app, and what a launch would do now"
  static let operands = "FOLDER [OTHER]"
  static let options: [CommandOption] = [
    CommandOption(name: "use", value: "GENERATION", help: "make an older generation current, by saving it again"),
    CommandOption(name: "release", value: "PATH", help: "restore a path again that was left out because it killed the app"),
    CommandOption(
      name: "accept", value: "GENERATION",
      help: "have the next launch restore an offer or a kept generation; the current state becomes an offer"),
    CommandOption(
      name: "without", value: "PATH", isRepeatable: true, needed: "accept", help: "do not restore this path; may be given several times"),
    CommandOption(
      name: "decline", value: "GENERATION", help: "decline an offer, or a kept generation, permanently; of a closed scene, remove all"),
    CommandOption(name: "forget", help: "remove everything that was saved, or with --scene all of that scene"),
    CommandOption(name: "history", help: "list the last launches: how each ended, and what was not stable then"),
    CommandOption(name: "scene", value: "IDENTIFIER", help: "list or change the archive of that scene, and no other"),
  ]
  static let discussion = """
    FOLDER is the store, or the folder of the app that has it; FOLDER@SCENE is the same as --scene SCENE. A generation
    is named FOLDER@7 by all verbs that read archives, FOLDER@-1 is the one before the newest, FOLDER@SCENE and
    FOLDER@SCENE@7 are those of a scene. With OTHER the newest states of two stores are compared; the status is 1 if
    they differ.
    Without --use, --release, --accept, --decline or --forget nothing is changed, and offers stay open. Quit the
    app before using one of them, because one process writes at a time. A generation or a path that only one archive
    has needs no scene. --format json cannot be combined with options that change something.
    """
  static let work: String? = "reading"
  static let example = "restoration store ~/.local/state/org.example.notes/restoration"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let actions = ["use", "release", "accept", "decline", "forget", "history"].filter(arguments.has)
    guard actions.count <= 1 else { throw .usage("--\(actions[0]) and --\(actions[1]) exclude each other") }
    guard actions.isEmpty || !arguments.printsJSON else { throw .usage("--format json is for the list, and not for --\(actions[0])") }
    let stores = arguments.operands.map { InputAddress.store($0, console) }
    let folder = stores[0].folder
    try expectFolder(folder)
    let scene = try scene(arguments, of: stores)
    try expectStore(folder)
    if stores.count > 1 {
      guard actions.isEmpty else { throw .usage("--\(actions[0]) is for one store") }
      return try compare(folder, stores[1].folder, scene, arguments, console)
    }
    if let action = actions.first, action != "history" { return try act(action, scene, InputFile(name: folder), arguments, console) }
    if arguments.has("history") {
      guard scene == nil else { throw .usage("--history is for the whole store, and not for a scene") }
      let launches = try withStore(folder) { $0.launches() }
      console.write(launches.isEmpty ? "no launch is on record\n" : launches.map { "\($0)\n" }.joined())
      return .fine
    }
    let listing = try withStore(folder) { store throws(StoreError) in try StoreListing(store, of: scene) }
    if let scene, listing.archives.isEmpty, listing.notes.isEmpty { throw absence(of: scene, in: folder) }
    console.write(arguments.printsJSON ? listing.json : listing.text(console.style))
    return listing.isSound ? .fine : .problems
  }

  private static func compare(
    _ old: String, _ new: String, _ scene: ArchiveName?, _ arguments: CommandArguments, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    try expectFolder(new)
    try expectStore(new)
    let names = (old.escapedForDisplay, new.escapedForDisplay)
    let before = try withStore(old) { $0 }
    let comparison = try withStore(new) { after throws(StoreError) in
      try StoreComparison(before, named: names.0, after, named: names.1, of: scene)
    }
    console.write(arguments.printsJSON ? comparison.json : comparison.text(console.style))
    return comparison.isSame ? .fine : .problems
  }

  /// Throws if the folder does not exist: the name is probably a mistake, not an empty store.
  private static func expectFolder(_ folder: String) throws(ToolFailure) {
    do throws(ArchiveError) {
      _ = try FileByteSource(path: folder)
    } catch {
      guard error.found != "is a directory" else { return }
      throw InputAddress.absence(of: folder) ?? ToolFailure(error, file: folder)
    }
    let name = folder.escapedForDisplay
    throw ToolFailure(status: .inputOutput, message: "\(name): is not a directory", hint: "`restoration info \(name)` looks at a file")
  }

  /// Throws if the folder holds other files; an empty folder may become a store.
  static func expectStore(_ folder: String) throws(ToolFailure) {
    let isOther = try withStore(folder) { store throws(StoreError) in try store.hasForeignFilesAlone() }
    if isOther { throw InputFile(name: folder).problem("is not a store: the folder contains no store files") }
  }

  /// Returns the archive that `--scene` or the addresses of the stores name; nil if none does.
  private static func scene(
    _ arguments: CommandArguments, of stores: [(folder: String, scene: ArchiveName?, number: Int?)]
  ) throws(ToolFailure) -> ArchiveName? {
    if let place = stores.firstIndex(where: { $0.number != nil }) {
      let operand = arguments.operands[place].escapedForDisplay
      let store = stores[place].folder.escapedForDisplay + (stores[place].scene?.scene.map { "@\($0.escapedForDisplay)" } ?? "")
      throw .usage(
        "store takes a store or a scene of one, and \(operand) is a generation",
        hint:
          "`restoration store \(store)` lists it, `restoration tree \(operand)` shows it; --use, --accept and --decline take its number"
      )
    }
    var scenes = Set(stores.compactMap(\.scene))
    if let option = arguments.value("scene") {
      guard let scene = ArchiveName.scene(printedAs: option, in: stores[0].folder) else {
        throw .usage("--scene: no scene can have this identifier")
      }
      scenes.insert(scene)
    }
    guard scenes.count < 2 else { throw .usage("two scenes are named, and store lists or compares one") }
    return scenes.first
  }

  private static func absence(of scene: ArchiveName, in folder: String) -> ToolFailure {
    InputFile(name: folder).problem("there is no saved state of \(scene)")
  }

  private static func act(
    _ action: String, _ scene: ArchiveName?, _ folder: InputFile, _ arguments: CommandArguments, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    if action == "forget" { return try forget(scene, folder.name, console) }
    let value = arguments.value(action) ?? ""
    if action == "release" { return try release(value, scene, folder, console) }
    guard let number = UInt64(value) else { throw .usage("--\(action): \"\(value.escapedForDisplay)\" is not the number of a generation") }
    let catalog = try withStore(folder.name) { store throws(StoreError) in try store.reader.catalog() }
    let archive = scene ?? catalog.archive(ofGeneration: number)
    if action != "use" { return try answer(action, number, of: archive, without: paths(arguments), folder, console) }
    return try withStore(folder.name, access: .writing) { store throws(StoreError) in
      if let generation = try store.use(number, of: archive) {
        let owner = archive.scene == nil ? "" : " of \(archive)"
        console.write("generation \(value)\(owner) was saved again as generation \(generation.number), which is now current\n")
      } else {
        console.write("nothing to do: the current generation already has this content\n")
      }
      return .fine
    }
  }

  /// Ends the quarantine of a path, in the scene or else in the one archive where it is quarantined.
  private static func release(
    _ value: String, _ scene: ArchiveName?, _ folder: InputFile, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    let parsed = try? RestorationPath(parsing: value)
    // Only a path that is quarantined can be released, so it may be given as it is printed.
    let found = try withStore(folder.name) { store throws(StoreError) in
      try store.archivesWithFiles().filter { scene == nil || $0 == scene }.flatMap { archive in
        store.quarantinedPaths(of: archive).filter { $0.displayText == value || $0 == parsed }.map { (archive, $0) }
      }
    }
    guard let (archive, path) = found.first(where: { $0.0 == .application }) ?? found.first else {
      guard parsed != nil else { throw .usage("--release: \"\(value.escapedForDisplay)\" is not a path") }
      throw folder.problem("\(value.escapedForDisplay) is not quarantined", hint: "`restoration store \(folder.displayName)` lists what is")
    }
    guard found.count == 1 || archive == .application else {
      let scenes = found.map { "\(folder.displayName)@\($0.0.scene?.escapedForDisplay ?? "")" }.joined(separator: ", ")
      throw .usage("--release: \(value.escapedForDisplay) is quarantined in several scenes", hint: "name one of them: \(scenes)")
    }
    _ = try withStore(folder.name, access: .writing) { store throws(StoreError) in try store.release(path, of: archive) }
    console.write("\(value.escapedForDisplay)\(archive.scene == nil ? "" : " of \(archive)") is tried again at the next launch\n")
    return .fine
  }

  private static func paths(_ arguments: CommandArguments) throws(ToolFailure) -> Set<RestorationPath> {
    var paths: Set<RestorationPath> = []
    for value in arguments.values("without") {
      guard let path = try? RestorationPath(parsing: value.unescapedFromDisplay) else {
        throw .usage("--without: \"\(value.escapedForDisplay)\" is not a path")
      }
      paths.insert(path)
    }
    return paths
  }

  private static func answer(
    _ action: String, _ number: UInt64, of archive: ArchiveName, without paths: Set<RestorationPath>, _ folder: InputFile,
    _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    try withStore(folder.name, access: .writing) { store throws(StoreError) in
      guard let offer = try store.storedStates(of: archive).first(where: { $0.generation.number == number })?.offer else {
        try store.expectOpen(number, of: archive)
        let open = try store.offers(of: archive).map { "\($0.generation.number)" }.joined(separator: ", ")
        console.report(
          "\(folder.displayName): no generation \(number) of the \(archive) can be accepted or declined",
          hint: open.isEmpty ? "it has no open offer" : "its open offers are \(open)")
        return .problems
      }
      if action == "accept" {
        // A mistyped path would be restored after all.
        if let offered = store.reader.opened(offer.generation)?.reader,
          let missing = paths.sorted().first(where: { (try? offered.node(at: $0)) == nil })
        {
          console.report(
            "\(folder.displayName): generation \(number) has nothing at \(missing.displayText), so nothing was accepted",
            hint: "`restoration tree \(folder.displayName)@\(number)` lists its paths")
          return .problems
        }
        try store.accept(offer, without: paths)
        // Those that killed the app stay away too.
        let count = (try? store.plan(for: archive)).map { StoreListing.Archive.leftOutCount($0) } ?? paths.count
        let without = count == 0 ? "" : ", without \(ArchiveOverview.counted(count, "path"))"
        console.write("the next launch restores generation \(number)\(without)\n")
      } else {
        try store.decline(offer)
        let isClosed = offer.generation.mark == .closed
        console.write(
          isClosed ? "the closed \(archive) is removed, with all that was saved of it\n" : "generation \(number) is not offered any more\n")
      }
      return .fine
    }
  }

  private static func forget(_ scene: ArchiveName?, _ folder: String, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let isThere = try withStore(folder, access: .writing) { store throws(StoreError) in
      guard let scene else {
        try store.forget()
        return true
      }
      guard try !store.generations(of: scene).isEmpty || !store.quarantinedPaths(of: scene).isEmpty else { return false }
      try store.remove(scene)
      return true
    }
    if let scene, !isThere { throw absence(of: scene, in: folder) }
    console.write("\(scene?.description ?? "everything") is forgotten\n")
    return .fine
  }

  /// Opens the store in a folder, and returns what `body` returns for it.
  ///
  /// - Throws: A failure of status 1 if a generation is absent, unusable or already answered, otherwise 74.
  static func withStore<Result>(
    _ folder: String, access: RestorationStore.Access = .reading, _ body: (RestorationStore) throws(StoreError) -> Result
  ) throws(ToolFailure) -> Result {
    do throws(StoreError) {
      return try body(RestorationStore(folder: folder, access: access))
    } catch {
      let status: ExitStatus =
        switch error {
        case .noGeneration, .unusable, .alreadyAnswered: .problems
        default: .inputOutput
        }
      let name = folder.escapedForDisplay
      let list = if case .noGeneration = error { "`restoration store \(name)` lists the generations of each archive" } else { String?.none }
      throw ToolFailure(status: status, message: "\(name): \(error)", hint: list)
    }
  }
}
