import StateRestoration

/// What a plug-in adds to the window: at the next launch the plug-in is not there, and its state waits for it.
final class CalendarPanel: Restorable {
  static let restorationType = "CalendarPlugIn"

  let restorationIdentifier: String? = "calendar"
  @Restored var month = "2026-11"
}
