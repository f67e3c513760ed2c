import RestorationArchive

/// What all ``Restored`` properties can do, whatever their value is.
protocol RestoredProperty {
  /// The key that was chosen for it, if it is not its name.
  var fixedKey: String? { get }
  /// Reports changes to `signal` from now on; nil where nothing saves by itself.
  func claim(for signal: ChangeSignal?)
  func encode(with coder: StateEncoder, key: String) throws
  func decode(with coder: StateDecoder, key: String) throws
}
