/// The calls into an app, in order.
public final class CallLog {
  /// What was called, one line each.
  public private(set) var lines: [String] = []

  /// Makes an empty log.
  public init() {}

  /// Notes a call.
  public func note(_ line: String) {
    lines.append(line)
  }

  /// Forgets all.
  public func clear() {
    lines = []
  }
}
