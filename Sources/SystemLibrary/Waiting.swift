#if !os(Windows) && !os(WASI)
  /// Waits until a file that does not wait itself can be read (`POLLIN`) or written (`POLLOUT`).
  ///
  /// Another process may have made a pipe or a terminal such a file.
  package func waitUntilReady(_ descriptor: Int32, for events: some BinaryInteger) {
    // The type of the events differs between systems.
    var request = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }
#endif
