import RestorationArchive

/// What all ``Restored`` properties can do, whatever their value is.
protocol RestoredProperty {
  /// The key that was chosen for it, if it is not its name.
  var fixedKey: String? { get }
  func encode(with coder: StateEncoder, key: String) throws
  func decode(with coder: StateDecoder, key: String) throws
}
