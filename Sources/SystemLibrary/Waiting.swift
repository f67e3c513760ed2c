#if !os(Windows) && !os(WASI)
  /// Waits until a file that does not wait itself can be read (`POLLIN`) or written (`POLLOUT`).
  ///
  /// Another process may have made a pipe or a terminal such a file.
  package func waitUntilReady(_ descriptor: Int32, for events: some BinaryInteger) {
    // The type of the events differs between systems.
    var request = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }

  /// Writes all bytes to an open file, whether or not that waits; returns 0, or the number of the error that ended it.
  package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        guard count > 0 else { return ENOSPC }
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        waitUntilReady(descriptor, for: POLLOUT)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
#endif
