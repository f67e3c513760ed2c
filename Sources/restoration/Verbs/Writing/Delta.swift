import RestorationArchive
import RestorationInspection

enum Delta: Verb {
  static let name = "delta"
  static let summary = "make a link, which holds what changed from one archive to another"
  static let operands = "BEFORE AFTER"
  static let options = CommandOption.output("LINK")
  static let fileCount = 2
  static let hasFormats = false
  static let discussion = """
    If BEFORE is a link, the new link follows it and holds the changes since the archive of its chain.
    `restoration apply` gives AFTER again, byte for byte. Both files may only have damage that costs no content.
    """
  static let example = "restoration delta -o tuesday.rsta monday.rsta notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let (before, after) = (InputFile(name: arguments.operands[0]), InputFile(name: arguments.operands[1]))
    let (chain, later) = (try before.chain(arguments, console), try after.chain(arguments, console))
    let old = if let chain { chain.bytes } else { try before.bytes() }
    let new = if let later { later.bytes } else { try after.bytes() }
    // A link names the file before it: of a chain, the last one.
    let file = if let chain { try InputFile(name: chain.newest).bytes() } else { old }
    let link = try Result { () throws(ArchiveError) in
      try ArchiveLink.make(from: old, to: new, after: ArchiveReader(link: file).contentDigest)
    }.mapError { error in
      let (input, bytes) = (try? ArchiveLink.make(from: old, to: old)) == nil ? (before, old) : (after, new)
      return input.failure(opening: bytes)
        ?? input.problem("\(error)", hint: ToolFailure.remedyOfDamage)
    }.get()
    let output = try OutputFile(arguments, inputs: arguments.operands.map { InputFile(name: $0) })
    try output.expectNoTerminal(console)
    try output.write(link, console)
    return .fine
  }
}
