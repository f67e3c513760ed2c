/// The content of a state record (Spec 6.3).
struct SlowStateRecord {
  var provider: SlowProvider?
  var attributes: [SlowEntry] = []
  var state: [SlowEntry] = []
}
