#if !os(Windows) && !os(WASI)
  /// The disposition of a signal; each system has its own name for the union inside.
  extension sigaction {
    /// A handler that gets only the number of the signal.
    package typealias Handler = @convention(c) (Int32) -> Void

    /// The handler; no function if the signal is ignored, and nil if it has its default effect.
    package var handler: Handler? {
      get {
        #if canImport(Darwin)
          unsafe __sigaction_u.__sa_handler
        #elseif canImport(Glibc)
          unsafe __sigaction_handler.sa_handler
        #else
          unsafe __sa_handler.sa_handler
        #endif
      }
      set {
        #if canImport(Darwin)
          unsafe __sigaction_u.__sa_handler = newValue
        #elseif canImport(Glibc)
          unsafe __sigaction_handler.sa_handler = newValue
        #else
          unsafe __sa_handler.sa_handler = newValue
        #endif
      }
    }

    /// The address of the handler: 0 for `SIG_DFL`, 1 for `SIG_IGN`.
    package var handlerAddress: Int { unsafe unsafeBitCast(handler, to: Int.self) }

    /// Returns whether this process ignores a signal, or its disposition is unknown.
    package static func isIgnored(_ signal: Int32) -> Bool {
      var action = sigaction()
      return unsafe sigaction(signal, nil, &action) != 0 || action.handlerAddress == 1
    }
  }
#endif
