/// The contents of a state record (Spec §6.3).
struct StateContents {
  var provider: ProviderReference?
  var attributes: ArchiveDictionary = [:]
  var state: ArchiveDictionary = [:]
}
