/// A provider reference (Spec 3.2): the name of the provider and the name of the item in it.
struct DraftProvider: Sendable {
  var name: String
  var identifier: String
}
