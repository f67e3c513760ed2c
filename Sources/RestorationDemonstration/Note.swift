import FoundationEssentials

/// A note of the small app: what a document is elsewhere.
struct Note {
  let name: String
  let text: String

  /// All notes there are.
  static let all = [
    Note(name: "groceries", text: "Milk, bread, a lemon."), Note(name: "ideas", text: "A clock that runs backwards on Sundays."),
    Note(name: "letter", text: "Dear Ada, the engine runs."),
  ]
}
