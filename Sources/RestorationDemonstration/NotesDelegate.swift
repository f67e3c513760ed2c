import StateRestoration

/// Keeps what belongs to the app as a whole, and decides whether it is saved and restored.
final class NotesDelegate: RestorationDelegate {
  var theme = "light"
  /// What it has decided, for showing it.
  private(set) var decision = ""

  func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    let answer = SaveDecision.save
    decision = "should save? \(answer.rawValue)"
    return answer
  }

  func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision {
    // Opened for a document, it shows that; the archive is restored at the next launch.
    let answer = launch.information["document"] == nil ? RestoreDecision.restore : .notNow
    decision = "should restore? \(answer.rawValue)"
    return answer
  }

  func willEncodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(theme, forKey: "theme")
  }

  func didDecodeRestorableState(with coder: StateDecoder) throws {
    theme = try coder.decode(String.self, forKey: "theme", default: theme)
  }
}
