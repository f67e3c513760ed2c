/// What a state record holds (Spec §6.3).
struct StateContents {
  var provider: ProviderReference?
  var attributes: ArchiveDictionary = [:]
  var state: ArchiveDictionary = [:]
}
